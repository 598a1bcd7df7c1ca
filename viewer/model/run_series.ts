// The samples of a run: by repetition, by rank, by pair of ranks.
import { inSuiteOrder, seriesName } from "./hpcc";
import { inGups, randomAccessFacts } from "./randomaccess";
import type { PageRecord, PageSeries } from "./record";
import { formatValue } from "./units";

/** A series with the test that sampled it. */
export interface Sampled {
  test: string;
  series: PageSeries;
}

/** All series of a record in the order of the suite, in the units of its facts. */
export function seriesIn(record: PageRecord): Sampled[] {
  const told = randomAccessFacts(record) ? inGups : (one: PageSeries) => one;
  return inSuiteOrder(Object.values(record.samples), ({ probe }) => probe).flatMap(({ probe, series }) =>
    series.map((one) => ({ test: probe, series: told(one) })),
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

export interface Extent {
  low: number;
  median: number;
  high: number;
}

/** What was sampled of the member at this place: of a rank, a pair of ranks or a ring. */
export function extentOf({ low, median, high }: PageSeries, index: number): Extent {
  const at = (values: number[]) => values[index] ?? Number.NaN;
  return { low: at(low), median: at(median), high: at(high) };
}

/** Median, lowest and highest, written. */
export function extentTexts({ low, median, high }: Extent, unit: string): string[] {
  return [median, low, high].map((value) => formatValue(value, unit));
}

export function medianOf(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

/** Series over ranks that are shown together: they differ in nothing but the role of their ranks. */
export interface OverRanks {
  name: string;
  unit: string;
  parts: RankPart[];
}

export interface RankPart {
  /** Empty where all ranks do the same. */
  role: string;
  series: PageSeries;
}

/** What was sampled of each rank beside the figures, in which unit, for one repetition. */
const OF_ROLES: Record<string, [name: string, unit: string]> = {
  worked: ["Time worked", "s"],
  waited: ["Time waited", "s"],
  pending: ["Updates held at most", "updates"],
  messages: ["Messages sent", "messages"],
  sent: ["Bytes sent", "B"],
  handed: ["Updates handed on", "updates"],
};

/** All series with several ranks, but those that are zero for every rank. */
export function overRanks(record: PageRecord): OverRanks[] {
  const stars = figureSeries(record).map((one) => ({
    name: sampledName(one),
    unit: label(one.series, "unit"),
    parts: [{ role: "", series: one.series }],
  }));
  return [...stars, ...overRoles(record)].filter(
    ({ parts }) => ranksIn(parts) > 1 && parts.some(({ series }) => series.high.some((value) => value > 0)),
  );
}

function overRoles(record: PageRecord): OverRanks[] {
  const all = seriesIn(record)
    .map(({ series }) => series)
    .filter(({ labels }) => "role" in labels);
  return Object.entries(OF_ROLES).map(([kind, [name, unit]]) => ({
    name,
    unit,
    parts: all
      .filter((series) => label(series, "series") === kind)
      .map((series) => ({ role: label(series, "role"), series })),
  }));
}

function ranksIn(parts: RankPart[]): number {
  return parts.reduce((sum, { series }) => sum + series.members.length, 0);
}
