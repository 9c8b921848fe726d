// The response of `/graph/data`.

export type Cluster = { id: string; label: string; size: number; density: number; weakest: number | null; href: string };
export type Node = {
  id: string; label: string; repository: string; group: string; time: string | null; words: number; degree: number; href: string | null;
};
export type Edge = { from: string; to: string; score: number; words: number; is_dated: boolean; href: string | null };
export type Bridge = { from: string; to: string; score: number };
export type Open = { cluster: Cluster; nodes: Node[]; edges: Edge[]; more_nodes: number; bridge: Bridge | null };
export type Data = { clusters: Cluster[]; more_clusters: number; open: Open | null };

/** Returns the value of a colour variable of the page. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim() || "#888888";
}

/** Assigns colours to groups, most frequent first; groups beyond the palette get `rest`. */
export function groupColours(nodes: readonly Node[], palette: readonly string[], rest: string): Map<string, string> {
  const counts = new Map<string, number>();
  for (const node of nodes) counts.set(node.group, (counts.get(node.group) ?? 0) + 1);
  const order = [...counts].sort(([a, x], [b, y]) => y - x || a.localeCompare(b));
  return new Map(order.map(([group], at) => [group, palette[at] ?? rest]));
}
