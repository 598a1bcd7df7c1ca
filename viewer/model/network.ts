// Reading the network part of a profile, and lines over it.
import type { Point, Series } from "./figure";
import type { NetworkFacts, PageRecord, Quantity } from "./record";
import { surveyFacts } from "./survey";

export function networkFacts(record: PageRecord): NetworkFacts | null {
  return surveyFacts(record)?.network ?? null;
}

/** What to call a rank: its host where that is known. */
export function rankName(rank: number, host: string | undefined): string {
  return host ? `${host} (${rank})` : String(rank);
}

/** A point with its interval; nothing where nothing was measured. */
export function pointAt(x: number, quantity: Quantity | null | undefined, note = ""): Point[] {
  if (!quantity) return [];
  const { value, low, high } = quantity;
  return [{ x, y: value, low, high, ...(note ? { note } : {}) }];
}

/** Entry i of a list that begins with 1, with bars for the intervals. */
export function lineFromOne(name: string, tone: number, entries: (Quantity | null)[]): Series {
  return {
    name,
    tone,
    spread: "bars",
    points: entries.flatMap((one, i) => pointAt(i + 1, one)),
  };
}

/** A line that was not measured but is expected. */
export function expectedLine(name: string, tone: number, points: [number, number][]): Series {
  return { name, tone, dashed: true, spread: "none", points: points.map(([x, y]) => ({ x, y })) };
}
