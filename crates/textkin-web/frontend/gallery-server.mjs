// Serves a gallery like the real server: from the root, with the policy, and with responses for the islands.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { join, normalize } from "node:path";

export const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
  + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

const TYPES = { html: "text/html; charset=utf-8", css: "text/css", js: "text/javascript", svg: "image/svg+xml", json: "application/json" };

const CACHED = { "Cache-Control": "max-age=3600" };

const OPENAPI = {
  openapi: "3.1.0", info: { title: "textkin", version: "0.1.0" },
  paths: {
    "/api/v1/probe": { post: { tags: ["probe"], summary: "Checks a text", requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Probe" } } } } } },
    "/api/v1/repositories/{name}": { get: { tags: ["repositories"], summary: "One repository", parameters: [{ name: "name", in: "path", required: true, schema: { type: "string" } }] } },
  },
  components: { schemas: { Probe: { type: "object", properties: { text: { type: "string", example: "words" }, repositories: { type: "array", items: { type: "string" } } } } } },
};

/** Serves `folder`, and the files in `also` by their paths on the server. */
export async function serve(folder, { port = 0, also = {} } = {}) {
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, "http://localhost");
    const send = (type, body, status = 200) => {
      response.writeHead(status, { "Content-Type": type, "Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff", ...(type === TYPES.html ? {} : CACHED) });
      response.end(body);
    };
    try {
      if (also[pathname]) return send(TYPES.js, await readFile(also[pathname]));
      if (pathname === "/results/7/data") {
        const html = "<p class=\"headline\"><strong>12%</strong> — recalculated</p>";
        return send(TYPES.json, JSON.stringify({ html, query: searchParams.toString(), summary: "120 of 1,000 words (12%)", marks: [[4, 40, 2], [41, 60, "template"]] }));
      }
      if (pathname === "/api/v1/openapi.json") return send(TYPES.json, JSON.stringify(OPENAPI));
      if (request.method === "POST" && pathname === "/probe") {
        const lines = [{ step: "words", words: 1030 }, { step: "indexed" }, { step: "done", href: "/results-ordinary.html", summary: "412 of 1,030 words (40%)", warnings: [] }];
        return send("application/x-ndjson", lines.map((line) => JSON.stringify(line)).join("\n"));
      }
      if (pathname === "/origins") return send(TYPES.html, await readFile(join(folder, "origins-ordinary.html")));
      const name = pathname === "/graph/data" ? (searchParams.has("cluster") ? "graph-cluster.json" : "graph-clusters.json") : normalize(pathname).replace(/^[/.]+/, "");
      send(TYPES[name.split(".").pop()] ?? "text/plain", await readFile(join(folder, name)));
    } catch {
      send("text/plain", "not found", 404);
    }
  });
  await new Promise((ready) => server.listen(port, "127.0.0.1", ready));
  return { origin: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
