// The load-latency curve of a record, from the samples of its probe.
import type { CellValue, Series, XRange } from "./figure";
import type { Cache, PageRecord, PageSamples, SampleSummary } from "./record";
import { cacheName } from "./survey";

export const LOAD_LATENCY = "load_latency";

export interface CurvePoint {
  size: number;
  summary: SampleSummary;
}

export interface Curve {
  pages: string;
  points: CurvePoint[];
}

const PAGE_NAMES: Record<string, string> = { huge: "huge pages", small: "small pages" };

/** One curve per page mode, sizes ascending; empty where the probe did not run. */
export function curvesOf(record: PageRecord): Curve[] {
  const samples = record.samples[LOAD_LATENCY];
  if (!samples) return [];
  const points = pointsOf(samples);
  return [...new Set(points.map(({ pages }) => pages))].map((pages) => ({
    pages,
    points: points.filter((point) => point.pages === pages).sort((a, b) => a.size - b.size),
  }));
}

function pointsOf({ cases, summary }: PageSamples): (CurvePoint & { pages: string })[] {
  return cases.flatMap((one, i) => {
    const found = summary[i];
    const { size_bytes: size, pages } = one;
    return found && typeof size === "number"
      ? [{ size, pages: typeof pages === "string" ? pages : "default", summary: found }]
      : [];
  });
}

/** p5 as the line, p5 to p50 as its band; the first page mode is solid, others are dashed. */
export function seriesOf(curves: Curve[], tone: (index: number) => number, prefix = ""): Series[] {
  return curves.map(({ pages, points }, index) => ({
    name: prefix + (PAGE_NAMES[pages] ?? `${pages} pages`),
    spread: "band",
    upper: "median",
    tone: tone(index),
    dashed: index > 0,
    points: points.map(({ size, summary }) => ({
      x: size,
      y: summary.p5,
      low: summary.p5,
      high: summary.p50,
      note: `${summary.n} samples`,
    })),
  }));
}

export const CURVE_COLUMNS = ["pages", "size (B)", "p5 (s)", "p50 (s)", "p95 (s)", "min (s)", "samples"];

export function curveRows(curves: Curve[]): CellValue[][] {
  return curves.flatMap(({ pages, points }) =>
    points.map(({ size, summary: { n, min, p5, p50, p95 } }) => [pages, size, p5, p50, p95, min, n]),
  );
}

/** The brackets of the caches, and what the system declares where that lies outside. */
export function cacheRanges(caches: Cache[]): XRange[] {
  return caches.flatMap((cache) => {
    const name = cacheName(cache);
    const { low, high, os_value: declared, agrees } = cache.size;
    const measured: XRange = { name, low, high, kind: "measured" };
    if (declared === null || agrees !== false) return [measured];
    return [measured, { name: `${name} by the OS`, low: declared, high: declared, kind: "declared" }];
  });
}
