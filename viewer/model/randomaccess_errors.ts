// Reading a record of kind "randomaccess_errors": what threads on one table cost and get wrong.
import { factsOf } from "./facts";
import type { ErrorFacts, PageRecord, Quantity, Strategy } from "./record";
import { formatNumber, formatQuantity } from "./units";

export function errorFacts(record: PageRecord): ErrorFacts | null {
  return factsOf<ErrorFacts>(record, "randomaccess_errors", "strategies");
}

/** Error rates are told in wrong words per million words of the table. */
export const RATE_UNIT = "ppm";
const MILLION = 1e6;

/** Wrong words over words that the rules of the benchmark allow. */
export const ALLOWED = 0.01;

export function inMillionths(rate: number): number {
  return rate * MILLION;
}

export function rateText(rate: number | null): string {
  return rate === null ? "–" : `${formatNumber(inMillionths(rate))} ${RATE_UNIT}`;
}

/** `19.0 ppm ± 38.7`: mean and standard deviation of the runs. */
export function meanText({ error_rate: { mean, standard_deviation } }: Strategy): string {
  const spread = standard_deviation ? ` ± ${formatNumber(inMillionths(standard_deviation))}` : "";
  return `${rateText(mean)}${spread}`;
}

export function isBroken({ exact, error_rate }: Strategy): boolean {
  return exact && error_rate.wrong_words > 0;
}

/** Strategies that have to share the table and leave no wrong word: what exactness costs. */
export function exactOnes({ strategies }: ErrorFacts): Strategy[] {
  return strategies.filter((one) => one.exact && one.threads > 1);
}

export function named({ strategies }: ErrorFacts, name: string): Strategy | null {
  return strategies.find((one) => one.name === name) ?? null;
}

export function fastest(strategies: Strategy[]): Strategy | null {
  return strategies.reduce<Strategy | null>(
    (best, one) => (best === null || one.gups.value > best.gups.value ? one : best),
    null,
  );
}

/** Whether the interval of a ratio leaves open which of the two is faster. */
export function comparedText(ratio: Quantity, other: string): string {
  if (ratio.low > 1) return `${formatQuantity(ratio)} as fast as ${other}`;
  if (ratio.high < 1) return `only ${formatQuantity(ratio)} as fast as ${other}`;
  return `${formatQuantity(ratio)} as fast as ${other}: the interval leaves open which is faster`;
}

/** The updates of a run over its time, in GUP/s and in the order of the rounds. */
export function gupsOfRuns({ samples }: PageRecord, { name }: Strategy, { updates }: ErrorFacts): number[] {
  const times = Object.values(samples)
    .flatMap(({ series }) => series)
    .find(({ labels }) => labels.strategy === name && labels.series === "time");
  return (times?.repetitions ?? []).map(([, time]) => (1e-9 * updates) / time);
}
