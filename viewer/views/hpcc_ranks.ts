// Star tests rank by rank: which rank, and so which core or machine, is slower than the others.
import { type CellValue, chosenFrom, type Figure, figure, type LineChart } from "../model/figure";
import { hpccFacts } from "../model/hpcc";
import { figureSeries, label, medianOf, type Sampled, sampledName } from "../model/hpcc_series";
import type { PageRecord, PageSeries, RankPlace } from "../model/record";
import { formatIds, formatShare, formatValue } from "../model/units";
import { registerView } from "../model/view";

/** Above this number of ranks intervals are drawn as a band. */
const MOST_BARS = 64;

registerView({
  section: "results",
  order: 3,
  blocks: (record) => {
    if (!hpccFacts(record)) return [];
    const stars = figureSeries(record).filter(({ series }) => series.members.length > 1);
    const options = stars.map((one) => ({
      label: sampledName(one),
      figure: rankFigure(one, placesOf(record)),
    }));
    return chosenFrom("hpcc-ranks", "Rank by rank", options);
  },
});

function placesOf(record: PageRecord): Map<number, RankPlace> {
  const placement = hpccFacts(record)?.launch?.placement ?? [];
  return new Map(placement.map((place) => [place.rank, place]));
}

function rankFigure(one: Sampled, places: Map<number, RankPlace>): Figure {
  const { series } = one;
  return figure({
    id: `hpcc-ranks-${sampledName(one)
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")}`,
    title: `${sampledName(one)}, rank by rank`,
    what: `Median of each rank while all ran at once, from its lowest to its highest sample. ${extremes(series, places)}`,
    method: "",
    drawing: drawingOf(series),
    table: () => ({
      columns: ["rank", "host", "may run on", "median", "lowest", "highest", "over the median rank"],
      rows: rowsOf(series, places),
    }),
    data: () => one,
  });
}

function drawingOf(series: PageSeries): LineChart {
  const unit = label(series, "unit");
  return {
    kind: "lines",
    x: { title: "rank", unit: "", scale: "linear" },
    y: { title: "", unit, scale: "linear" },
    series: [
      {
        name: label(series, "series"),
        spread: series.members.length > MOST_BARS ? "band" : "bars",
        tone: 0,
        points: series.members.map(([rank = 0], i) => ({
          x: rank,
          y: series.median[i] ?? Number.NaN,
          low: series.low[i] ?? Number.NaN,
          high: series.high[i] ?? Number.NaN,
        })),
      },
    ],
    ranges: [],
  };
}

function extremes(series: PageSeries, places: Map<number, RankPlace>): string {
  const middle = medianOf(series.median);
  const tell = (word: string, at: number) => {
    const rank = series.members[at]?.[0] ?? at;
    const value = series.median[at] ?? middle;
    const host = places.get(rank)?.host;
    return `${word}: rank ${rank}${host ? ` (${host})` : ""}, ${formatValue(value, label(series, "unit"))}, ${relative(value / middle)}`;
  };
  return `${tell(
    "Slowest",
    extreme(series.median, (a, b) => a < b),
  )}. ${tell(
    "Fastest",
    extreme(series.median, (a, b) => a > b),
  )}.`;
}

function extreme(values: number[], beats: (one: number, other: number) => boolean): number {
  return values.reduce((best, value, i) => (beats(value, values[best] ?? value) ? i : best), 0);
}

function relative(ratio: number): string {
  return `${formatShare(Math.abs(ratio - 1))} ${ratio < 1 ? "below" : "above"} the median rank`;
}

function rowsOf(series: PageSeries, places: Map<number, RankPlace>): CellValue[][] {
  const unit = label(series, "unit");
  const middle = medianOf(series.median);
  const told = (value: number | undefined) => (value === undefined ? null : formatValue(value, unit));
  return series.members.map(([rank = 0], i) => [
    rank,
    places.get(rank)?.host ?? null,
    formatIds(places.get(rank)?.cpus ?? []) || null,
    told(series.median[i]),
    told(series.low[i]),
    told(series.high[i]),
    formatShare((series.median[i] ?? middle) / middle),
  ]);
}
