// Computes the scroll position of the other text, by interpolation between anchors.

/** A position in the scrolled text, and the matching position in the other. */
export type Anchor = readonly [here: number, there: number];

/** Returns the position in the other text for `position`; `anchors` ascend in the scrolled text. */
export function follow(anchors: readonly Anchor[], position: number): number {
  const after = anchors.findIndex(([here]) => here > position);
  const to = anchors[after < 0 ? anchors.length - 1 : after];
  const from = anchors[Math.max((after < 0 ? anchors.length : after) - 1, 0)];
  if (!to || !from) return position;
  const share = to[0] > from[0] ? (position - from[0]) / (to[0] - from[0]) : 0;
  return from[1] + share * (to[1] - from[1]);
}

/** Returns the match nearest to a position; -1 if there is none. */
export function nearest(tops: readonly number[], position: number): number {
  let best = -1;
  tops.forEach((top, index) => {
    if (!Number.isNaN(top) && (best < 0 || Math.abs(top - position) < Math.abs(tops[best]! - position))) best = index;
  });
  return best;
}

/** Returns the outline of a connector between two passages in a gutter of this width. */
export function ribbon(width: number, [a, b]: Anchor, [c, d]: Anchor): string {
  const middle = width / 2;
  return `M0,${a} C${middle},${a} ${middle},${c} ${width},${c} L${width},${d} C${middle},${d} ${middle},${b} 0,${b} Z`;
}

/** Returns the CSS classes for the colour and pattern of a match, like the server. */
export function hue(index: number): string {
  return `c${index % 6} l${Math.floor(index / 6) % 4}`;
}
