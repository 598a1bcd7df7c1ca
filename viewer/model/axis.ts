// Where values lie along an axis: the ends and marks of a measured axis, and the way from value to place.
import type { DotAxis } from "./figure";
import { ticksOver } from "./ticks";

/** From a value to its share of the axis, 0 at the first tick and 1 at the last. */
export type Share = (value: number) => number;

export interface Laid {
  ticks: number[];
  share: Share;
}

/** What zero takes of an axis of scale `zero-log10`. */
const ZERO_ROOM = 0.14;

/** An axis with at most about `most` ticks that holds all of `values`. */
export function laidOver(values: number[], { scale, close }: DotAxis, most: number): Laid {
  const finite = values.filter(Number.isFinite);
  if (scale === "zero-log10") return laidFromZero(finite, most);
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  const ticks = ticksOver(low, high, { scale, close: close ?? false, most });
  return { ticks, share: between(ticks, scale === "linear" ? (value) => value : Math.log) };
}

/** Zero, and whatever is less, at the beginning; beyond a gap the logarithms of the others. */
function laidFromZero(values: number[], most: number): Laid {
  const positive = values.filter((value) => value > 0);
  if (positive.length === 0) return { ticks: [0], share: () => 0 };
  const [low, high] = [Math.min(...positive), Math.max(...positive)];
  const ticks = ticksOver(low, high, { scale: "log10", close: false, most });
  const inner = between(ticks, Math.log);
  const share: Share = (value) => (value > 0 ? ZERO_ROOM + (1 - ZERO_ROOM) * Math.max(0, inner(value)) : 0);
  return { ticks: [0, ...ticks], share };
}

function between(ticks: number[], at: (value: number) => number): Share {
  const [first, last] = [at(ticks[0] ?? 0), at(ticks.at(-1) ?? 1)];
  return (value) => (last > first ? (at(value) - first) / (last - first) : 0.5);
}
