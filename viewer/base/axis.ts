// Where values lie along an axis: its marks, and the way from value to place.
import type { Axis, DotAxis } from "./payload";
import { formatNumber, scaleOf } from "./units";
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
export function layoutAxis(values: number[], { unit, scale, close }: DotAxis, most: number): AxisLayout {
  if (scale === "zero-log10") return layoutFromZero(values.filter(Number.isFinite), most);
  const [low, high] = boundsOn(scale, values);
  const marks = (divisor: number) =>
    ticksOver(low / divisor, high / divisor, { scale, close, most }).map((tick) => tick * divisor);
  const ticks = unit === "B" && scale === "linear" ? roundBytes(marks, low, high) : marks(1);
  return { ticks, share: alongTicks(ticks, scale === "linear" ? (value) => value : Math.log) };
}

/** Marks that are round in the unit of their labels, which is a power of 1024 bytes. */
function roundBytes(marks: (divisor: number) => number[], low: number, high: number): number[] {
  const divisorOf = (ticks: number[]) => scaleOf(Math.max(...ticks.map(Math.abs)), "B").divisor;
  const ticks = marks(divisorOf([low, high]));
  const labelled = divisorOf(ticks);
  return labelled === divisorOf([low, high]) ? ticks : marks(labelled);
}

/** An axis of a line: of powers of two and of counts it ends with the values, of all others with a tick. */
export function layoutLineAxis(values: number[], axis: Axis, most: number): AxisLayout {
  const { scale, close } = axis;
  const [low, high] = boundsOn(scale, values);
  if (scale === "log2") return { ticks: binaryTicks(low, high, most), share: between(low, high, Math.log) };
  if (axis.unit !== "" || scale === "log10" || close) return layoutAxis(values, { ...axis, scale }, most);
  return {
    ticks: countTicks(low, high, most),
    share: between(low - BEYOND, high + BEYOND, (value) => value),
  };
}

/** Zero, and what is less, has no logarithm: a logarithmic axis is that of the other values. */
function boundsOn(scale: Axis["scale"], values: number[]): [low: number, high: number] {
  return boundsOf(values.filter((value) => Number.isFinite(value) && (scale === "linear" || value > 0)));
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

/** How marks are written: counts and ratios without a unit; on linear axes all share the prefix of the largest. */
export function tickLabels(ticks: number[], { unit, scale }: Axis | DotAxis): (tick: number) => string {
  const isLinear = scale === "linear";
  const largest = ticks.reduce((most, tick) => Math.max(most, Math.abs(tick)), 0);
  const step = isLinear ? (ticks[1] ?? 0) - (ticks[0] ?? 0) : 0;
  const text = (tick: number, divisor: number) => markText(tick / divisor, step / divisor);
  return (tick) => {
    if (unit === "" || unit === "ratio" || (tick === 0 && !isLinear)) return text(tick, 1);
    const shared = scaleOf(isLinear ? largest : tick, unit);
    return `${text(tick, shared.divisor)} ${shared.unit}`;
  };
}

/** A mark with the digits that tell it from the next one, which is `step` away; marks are exact: 0.5, not 0.500. */
function markText(mark: number, step: number): string {
  const digits = step > 0 && mark !== 0 ? Math.ceil(Math.log10(Math.abs(mark) / step)) + 2 : 0;
  const text = formatNumber(Number(mark.toPrecision(12)), Math.min(12, Math.max(3, digits)));
  return text.includes("e") ? text : String(Number(text));
}
