// Where the other text should be when one is scrolled: in proportion between known places.

/** A place in the text that leads, and the same place in the one that follows. */
export type Known = readonly [here: number, there: number];

/** The place in the other text for `place`; `known` ascends in its first part. */
export function follow(known: readonly Known[], place: number): number {
  const after = known.findIndex(([here]) => here > place);
  const to = known[after < 0 ? known.length - 1 : after];
  const from = known[Math.max((after < 0 ? known.length : after) - 1, 0)];
  if (!to || !from) return place;
  const share = to[0] > from[0] ? (place - from[0]) / (to[0] - from[0]) : 0;
  return from[1] + share * (to[1] - from[1]);
}

/** The match that is nearest to a place; -1 if there is none. */
export function nearest(tops: readonly number[], place: number): number {
  let best = -1;
  tops.forEach((top, index) => {
    if (!Number.isNaN(top) && (best < 0 || Math.abs(top - place) < Math.abs(tops[best]! - place))) best = index;
  });
  return best;
}

/** The outline of a connector between two stretches in a gutter of this width. */
export function ribbon(width: number, [a, b]: Known, [c, d]: Known): string {
  const middle = width / 2;
  return `M0,${a} C${middle},${a} ${middle},${c} ${width},${c} L${width},${d} C${middle},${d} ${middle},${b} 0,${b} Z`;
}

/** Classes of the colour and the pattern of a match; the same as the server gives. */
export function hue(index: number): string {
  return `c${index % 6} l${Math.floor(index / 6) % 4}`;
}
