// Lines of charts from quantities.
import type { Point, Series } from "./figure";
import type { Quantity } from "./record";

/** Bars of more points would hide each other. */
const MOST_BARS = 64;

/** A point with its interval; nothing where nothing was measured. */
export function pointAt(x: number, quantity: Quantity | null | undefined): Point[] {
  if (!quantity) return [];
  const { value, low, high } = quantity;
  return [{ x, y: value, low, high }];
}

/** A line with its intervals. */
export function measuredLine(name: string, tone: number, points: Point[]): Series {
  return { name, tone, spread: points.length > MOST_BARS ? "band" : "bars", points };
}

/** Entry i of a list that begins with 1. */
export function lineFromOne(name: string, tone: number, entries: (Quantity | null)[]): Series {
  return measuredLine(
    name,
    tone,
    entries.flatMap((one, i) => pointAt(i + 1, one)),
  );
}

/** A line that was not measured but is expected. */
export function expectedLine(name: string, tone: number, points: [number, number][]): Series {
  return { name, tone, dashed: true, spread: "none", points: points.map(([x, y]) => ({ x, y })) };
}
