// Samples of messages behind the values of effective bandwidth.
import type { CellValue } from "./figure";
import type { PageRecord, PageSeries } from "./record";
import { extentOf, extentTexts, label, seriesIn } from "./run_series";
import { formatValue } from "./units";

/** Samples behind the values of the definition, in the state of buffers that it takes. */
export function definingSeries(record: PageRecord, over: string, name = "time"): PageSeries[] {
  return seriesIn(record)
    .map(({ series }) => series)
    .filter(
      (series) =>
        series.over[0] === over &&
        label(series, "series") === name &&
        label(series, "purpose") === "definition" &&
        label(series, "buffers") === "reused",
    )
    .sort((a, b) => bytesOf(a) - bytesOf(b));
}

export function bytesOf({ labels }: PageSeries): number {
  return Number(labels.bytes);
}

export function isLong(series: PageSeries): boolean {
  return bytesOf(series) > 1000;
}

/** Times of a member and the bandwidth at the median. */
export function timeCells(series: PageSeries, i: number): CellValue[] {
  const times = extentOf(series, i);
  return [...extentTexts(times, "s"), formatValue(bytesOf(series) / times.median, "B/s")];
}
