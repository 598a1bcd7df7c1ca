// Where axes have their marks.

/** Marks on a range of powers of ten. */
const MOST_POWERS = 11;

/**
 * Values 1, 2, 5 times powers of ten (powers of ten alone over a wide range, and every 2nd, 3rd … of very many)
 * from below `low` to above `high`.
 */
export function logTicks(low: number, high: number): number[] {
  const wide = high / low > 2000;
  const steps = wide ? [1] : [1, 2, 5];
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const every = Math.ceil((last - first) / MOST_POWERS) || 1;
  const count = Math.ceil((last - first) / every) + 1;
  const all = Array.from({ length: count }, (_, i) => first + i * every).flatMap((exponent) =>
    steps.map((step) => Number(`${step}e${exponent}`)),
  );
  return between(all, low, high);
}

/** Powers of two, at most `most` of them, every 2nd, 4th … where there are more. */
export function binaryTicks(low: number, high: number, most: number): number[] {
  const first = Math.floor(Math.log2(low));
  const last = Math.ceil(Math.log2(high));
  let step = 1;
  while ((last - first) / step + 1 > most) step *= 2;
  const all = [];
  for (let exponent = Math.ceil(first / step) * step; exponent <= last; exponent += step)
    all.push(2 ** exponent);
  return all.filter((tick) => tick >= low && tick <= high);
}

/** Marks of a measured axis from below `low` to above `high`; `close` ones need not hold zero. */
export function ticksOver(
  low: number,
  high: number,
  { scale, close, most }: { scale: "linear" | "log10"; close: boolean; most: number },
): number[] {
  if (scale === "log10") return logTicks(low, high);
  return close ? closeTicks(low, high, most) : linearTicks(low, high, most);
}

/** Round steps from 0, or from below what is less, to above `high`; of nothing but zeros from 0 to 1. */
export function linearTicks(low: number, high: number, most: number): number[] {
  const [from, to] = low === 0 && high === 0 ? [0, 1] : [Math.min(0, low), Math.max(0, high)];
  return multiples(from, to, roundStep(to - from, most));
}

/** Round steps from below `low` to above `high`; where all is equal, a tenth around it. */
export function closeTicks(low: number, high: number, most: number): number[] {
  const room = high > low ? 0 : Math.abs(high) / 10 || 1;
  return multiples(low - room, high + room, roundStep(high - low + 2 * room, most));
}

function roundStep(width: number, most: number): number {
  const rough = width / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough * (1 - 1e-9)) ?? 10) * power;
}

function multiples(low: number, high: number, step: number): number[] {
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** Whole numbers from `low` to `high`. */
export function countTicks(low: number, high: number, most: number): number[] {
  const step = [1, 2, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100, 128, 200, 256, 500, 1000].find(
    (one) => (high - low) / one + 1 <= most,
  );
  const every = step ?? roundStep(high - low, most - 1);
  const multiples = Array.from({ length: Math.floor(high / every) + 1 }, (_, i) => i * every);
  return [...new Set([low, ...multiples.filter((one) => one >= low + every / 2)])];
}

function between(ticks: number[], low: number, high: number): number[] {
  const from = ticks.filter((tick) => tick <= low).at(-1) ?? ticks[0];
  const to = ticks.find((tick) => tick >= high) ?? ticks.at(-1);
  return ticks.filter((tick) => tick >= (from ?? low) && tick <= (to ?? high));
}
