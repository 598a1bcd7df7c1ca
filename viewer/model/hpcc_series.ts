// The samples of a run of the suite: by repetition, by rank, by pair of ranks.
import { inSuiteOrder, seriesName } from "./hpcc";
import type { PageRecord, PageSeries } from "./record";

/** A series with the test that sampled it. */
export interface Sampled {
  test: string;
  series: PageSeries;
}

/** All series of a record in the order of the suite. */
export function seriesIn({ samples }: PageRecord): Sampled[] {
  return inSuiteOrder(Object.values(samples), ({ probe }) => probe).flatMap(({ probe, series }) =>
    series.map((one) => ({ test: probe, series: one })),
  );
}

/** Those that are figures: neither samples behind figures, nor single sizes of curves. */
export function figureSeries(record: PageRecord): Sampled[] {
  return seriesIn(record).filter(({ series: { labels } }) => !("raw" in labels) && !("purpose" in labels));
}

export function sampledName({ test, series }: Sampled): string {
  return seriesName(test, label(series, "series"));
}

export function label({ labels }: PageSeries, name: string): string {
  const value = labels[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** The mean over the ranks in each repetition. */
export function meansOf({ repetitions }: PageSeries): number[] {
  return repetitions.map(([, mean]) => mean);
}

export function medianOf(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}
