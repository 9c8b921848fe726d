// Reads from an OpenAPI description what the form of a call needs.

export type Schema = {
  $ref?: string; type?: string | string[]; properties?: Record<string, Schema>; items?: Schema; enum?: unknown[];
  example?: unknown; examples?: unknown[]; default?: unknown; oneOf?: Schema[]; anyOf?: Schema[]; allOf?: Schema[]; format?: string;
};
export type Parameter = { $ref?: string; name: string; in: string; required?: boolean; description?: string; schema?: Schema };
export type Operation = {
  summary?: string; description?: string; tags?: string[]; operationId?: string; parameters?: Parameter[];
  requestBody?: { content?: Record<string, { schema?: Schema; example?: unknown }> };
};
export type Description = { info?: { title?: string; version?: string }; paths?: Record<string, Record<string, unknown>>; components?: unknown };
export type Call = { method: string; path: string; tag: string; operation: Operation; parameters: Parameter[] };

const METHODS = ["get", "post", "put", "patch", "delete"];

/** Returns all calls, in the order of the description. */
export function callsOf(description: Description): Call[] {
  const calls: Call[] = [];
  for (const [path, item] of Object.entries(description.paths ?? {})) {
    const shared = (item.parameters as Parameter[] | undefined) ?? [];
    for (const method of METHODS) {
      const operation = item[method] as Operation | undefined;
      if (!operation) continue;
      const parameters = [...shared, ...(operation.parameters ?? [])].map((parameter) => resolve(description, parameter));
      calls.push({ method, path, tag: operation.tags?.[0] ?? "other", operation, parameters });
    }
  }
  return calls;
}

/** Resolves a reference; returns the value itself if it is not one. */
export function resolve<T extends { $ref?: string }>(description: Description, value: T): T {
  let found: unknown = value;
  for (let hops = 0; hops < 8; hops++) {
    const reference = (found as { $ref?: string } | undefined)?.$ref;
    if (!reference?.startsWith("#/")) break;
    found = reference.slice(2).split("/").reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], description);
  }
  return (found ?? value) as T;
}

/** Returns an example for a schema, as the initial content of a field. */
export function exampleOf(description: Description, schema: Schema | undefined, depth = 0): unknown {
  if (!schema || depth > 6) return null;
  const known = resolve(description, schema);
  const given = known.example ?? known.examples?.[0] ?? known.default ?? known.enum?.[0];
  if (given !== undefined) return given;
  const choice = (known.oneOf ?? known.anyOf)?.find((option) => option.type !== "null");
  if (choice) return exampleOf(description, choice, depth + 1);
  if (known.allOf) {
    return Object.assign({}, ...known.allOf.map((part) => exampleOf(description, part, depth + 1) as object));
  }
  const type = Array.isArray(known.type) ? known.type.find((name) => name !== "null") : known.type;
  if (type === "object" || known.properties) {
    const entries = Object.entries(known.properties ?? {});
    return Object.fromEntries(entries.map(([name, part]) => [name, exampleOf(description, part, depth + 1)]));
  }
  if (type === "array") return [exampleOf(description, known.items, depth + 1)];
  if (type === "integer" || type === "number") return 0;
  if (type === "boolean") return false;
  return type === "string" ? "" : null;
}

/** Returns the URL of a call with its values; empty query parameters are omitted. */
export function addressOf(call: Call, values: Record<string, string>): string {
  const path = call.path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
  const query = new URLSearchParams();
  for (const parameter of call.parameters) {
    const value = values[parameter.name];
    if (parameter.in === "query" && value) query.append(parameter.name, value);
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}
