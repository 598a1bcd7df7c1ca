// Where values lie along an axis: its marks, and the way from value to place.
import type { Axis, DotAxis } from "./payload";
import { binaryTicks, countTicks, ticksOver } from "./ticks";

/** From a value to its share of the axis: 0 at one end, 1 at the other. */
export type NormalizedScale = (value: number) => number;

export interface AxisLayout {
  ticks: number[];
  share: NormalizedScale;
}

/** What zero takes of an axis of scale `zero-log10`. */
const ZERO_ROOM = 0.14;

/** Room at both ends of an axis of counts, in counts. */
const BEYOND = 0.3;

/** An axis from its first to its last tick with at most about `most` of them, around all of `values`. */
export function layoutAxis(values: number[], { scale, close }: DotAxis, most: number): AxisLayout {
  const finite = values.filter(Number.isFinite);
  if (scale === "zero-log10") return layoutFromZero(finite, most);
  const [low, high] = boundsOf(finite);
  const ticks = ticksOver(low, high, { scale, close, most });
  return { ticks, share: alongTicks(ticks, scale === "linear" ? (value) => value : Math.log) };
}

/** An axis of a line: of powers of two and of counts it ends with the values, of all others with a tick. */
export function layoutLineAxis(values: number[], axis: Axis, most: number): AxisLayout {
  const [low, high] = boundsOf(values.filter(Number.isFinite));
  const { scale, close } = axis;
  if (scale === "log2") return { ticks: binaryTicks(low, high, most), share: between(low, high, Math.log) };
  if (axis.unit !== "" || scale === "log10" || close) return layoutAxis(values, { ...axis, scale }, most);
  return {
    ticks: countTicks(low, high, most),
    share: between(low - BEYOND, high + BEYOND, (value) => value),
  };
}

/** Of nothing an axis from 1 to 2, which is one on any scale. */
function boundsOf(values: number[]): [low: number, high: number] {
  if (values.length === 0) return [1, 2];
  return values.reduce<[number, number]>(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Infinity, -Infinity],
  );
}

/** Zero, and whatever is less, at the beginning; beyond a gap the logarithms of the others. */
function layoutFromZero(values: number[], most: number): AxisLayout {
  const positive = values.filter((value) => value > 0);
  if (positive.length === 0) return { ticks: [0], share: () => 0 };
  const ticks = ticksOver(...boundsOf(positive), { scale: "log10", close: false, most });
  const inner = alongTicks(ticks, Math.log);
  const share: NormalizedScale = (value) =>
    value > 0 ? ZERO_ROOM + (1 - ZERO_ROOM) * Math.max(0, inner(value)) : 0;
  return { ticks: [0, ...ticks], share };
}

function alongTicks(ticks: number[], at: NormalizedScale): NormalizedScale {
  return between(ticks[0] ?? 0, ticks.at(-1) ?? 1, at);
}

function between(low: number, high: number, at: NormalizedScale): NormalizedScale {
  const [first, last] = [at(low), at(high)];
  if (last <= first) return () => 0.5;
  return (value) => {
    const share = (at(value) - first) / (last - first);
    return Number.isFinite(share) ? share : 0; // zero has no logarithm: it lies at the beginning
  };
}
