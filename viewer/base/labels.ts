// Where the names of points and lines have room beside them.

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Labelled {
  /** The middle of the point. */
  x: number;
  y: number;
  width: number;
}

const HEIGHT = 16;
const GAP = 7;
/** From the middle of a point to that of its name, so that the name does not cover the line. */
const BESIDE_LINE = 11;
const MOST_STEPS = 12;

/** One box for each point in which its name covers no other name and no point; `x` and `y` are its upper left. */
export function labelled(points: Labelled[], room: Box): Box[] {
  const taken: Box[] = points.map(({ x, y }) => ({ x: x - 6, y: y - 6, width: 12, height: 12 }));
  return points.map((point) => {
    const box = candidates(point).find(
      (one) => isInside(one, room) && !taken.some((other) => overlap(one, other)),
    );
    const found = box ?? boxBeside(point, -BESIDE_LINE, true);
    taken.push(found);
    return found;
  });
}

/** Right and left of the point, step by step away from the line of its interval. */
function candidates(point: Labelled): Box[] {
  return Array.from({ length: MOST_STEPS }, (_, i) => BESIDE_LINE + i * HEIGHT).flatMap((away) => [
    boxBeside(point, -away, true),
    boxBeside(point, -away, false),
    boxBeside(point, away, true),
    boxBeside(point, away, false),
  ]);
}

function boxBeside({ x, y, width }: Labelled, down: number, right: boolean): Box {
  return { x: right ? x + GAP : x - GAP - width, y: y + down - HEIGHT / 2, width, height: HEIGHT };
}

function isInside(one: Box, room: Box): boolean {
  return (
    one.x >= room.x &&
    one.y >= room.y &&
    one.x + one.width <= room.x + room.width &&
    one.y + one.height <= room.y + room.height
  );
}

function overlap(one: Box, other: Box): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

/** Along one direction, in pixels. */
export interface Span {
  from: number;
  to: number;
}

/** The first place from `room.from` on, and within `room`, where so much length touches nothing; null for none. */
export function firstFree(length: number, room: Span, taken: Span[]): number | null {
  let from = room.from;
  for (const one of [...taken].sort((a, b) => a.from - b.from))
    if (one.from < from + length) from = Math.max(from, one.to);
  return from + length <= room.to ? from : null;
}

/** What lines through these points, in their order, take of the height between two places; null for nothing. */
export function heightWithin(points: { x: number; y: number }[], { from, to }: Span): Span | null {
  const heights = points.flatMap(({ x, y }, i) => {
    const next = points[i + 1] ?? { x, y };
    if (Math.max(x, next.x) < from || Math.min(x, next.x) > to) return [];
    const at = (place: number) =>
      next.x === x ? y : y + ((next.y - y) * (clipped(place, x, next.x) - x)) / (next.x - x);
    return next.x === x ? [y, next.y] : [at(from), at(to)];
  });
  return heights.length > 0 ? { from: Math.min(...heights), to: Math.max(...heights) } : null;
}

function clipped(place: number, one: number, other: number): number {
  return Math.min(Math.max(place, Math.min(one, other)), Math.max(one, other));
}
