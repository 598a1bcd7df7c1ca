// Effective bandwidth: pairs of ranks and orders of rings behind its values.
import {
  type Block,
  type CellValue,
  chosenFrom,
  type Drawing,
  type Figure,
  figure,
  type LineChart,
  type Series,
} from "../model/figure";
import { hpccFacts } from "../model/hpcc";
import { extentOf, extentTexts, label, seriesIn } from "../model/run_series";
import { heatMap, type Matrix } from "../model/matrix";
import type { PageRecord, PageSeries, Quantity } from "../model/record";
import { formatValue } from "../model/units";
import { registerView } from "../model/view";

/** Above this number of ranks a matrix of pairs has more gaps than cells. */
const MOST_IN_MATRIX = 64;

const METHOD =
  "Ping-pong is half a round trip, by the client's clock, one pair at a time; a ring is half an iteration of " +
  "sending to and receiving from both neighbours, on the slowest rank. Buffers are reused, as the suite has it.";

registerView({
  section: "messages",
  order: 1,
  blocks: (record) => (hpccFacts(record) ? [...pairFigures(record), ...ringFigures(record)] : []),
});

/** Samples behind the values of the definition, in the state of buffers that it takes. */
function definingSeries(record: PageRecord, over: string, name = "time"): PageSeries[] {
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

function bytesOf({ labels }: PageSeries): number {
  return Number(labels.bytes);
}

function isLong(series: PageSeries): boolean {
  return bytesOf(series) > 1000;
}

function sizeName(series: PageSeries): string {
  return `${bytesOf(series)} bytes`;
}

// ---- pairs ----

function pairFigures(record: PageRecord): Block[] {
  const options = definingSeries(record, "client").map((series) => ({
    label: isLong(series) ? "Bandwidth" : "Latency",
    figure: pairFigure(series),
  }));
  return chosenFrom("hpcc-pairs", "Pairs of ranks:", options);
}

function pairFigure(series: PageSeries): Figure {
  const long = isLong(series);
  const pairs = series.members.length;
  const sorted = `${pairs} pairs were measured; they are sorted from the shortest time to the longest.`;
  const drawn = ranksIn(series).length > MOST_IN_MATRIX;
  return figure({
    id: `hpcc-pairs-${long ? "bandwidth" : "latency"}`,
    title: `Ping-pong ${long ? "bandwidth" : "latency"} by pair of ranks`,
    what: `${sizeName(series)}: median over all samples of the pair, from the best to the worst. ${drawn ? sorted : ""}`.trim(),
    method: METHOD,
    drawing: drawn ? sortedPairs(series) : pairMatrix(series),
    table: () => ({
      columns: ["client", "server", "median time", "shortest", "longest", "bandwidth"],
      rows: series.members.map((pair, i) => pairRow(series, pair, i)),
    }),
    data: () => series,
  });
}

function ranksIn({ members }: PageSeries): number[] {
  return [...new Set(members.flat())].sort((a, b) => a - b);
}

function pairMatrix(series: PageSeries): Drawing {
  const ranks = ranksIn(series);
  const at = new Map(ranks.map((rank, i) => [rank, i]));
  const cells: Matrix = ranks.map(() => ranks.map(() => null));
  series.members.forEach(([client = 0, server = 0], i) => {
    const row = cells[at.get(client) ?? 0];
    if (row) row[at.get(server) ?? 0] = cellOf(series, i);
  });
  const names = ranks.map(String);
  return heatMap(cells, { rowTitle: "client rank", columnTitle: "server rank", rows: names, columns: names });
}

/** The median with the range of all samples, as time or as bytes over it. */
function cellOf(series: PageSeries, index: number): Quantity {
  const { low, median, high } = extentOf(series, index);
  const shared = { confidence: 1, method: METHOD, samples: null, os_value: null, agrees: null };
  if (!isLong(series)) return { value: median, low, high, unit: "s", ...shared };
  const rate = (time: number) => bytesOf(series) / time;
  return { value: rate(median), low: rate(high), high: rate(low), unit: "B/s", ...shared };
}

function sortedPairs(series: PageSeries): LineChart {
  const cells = series.members
    .map((pair, i) => ({ pair, cell: cellOf(series, i) }))
    .sort((a, b) => a.cell.value - b.cell.value);
  const unit = cells[0]?.cell.unit ?? "s";
  return {
    kind: "lines",
    x: { title: "pairs", unit: "", scale: "linear" },
    y: { title: isLong(series) ? "bandwidth" : "latency", unit, scale: "linear" },
    series: [
      {
        name: isLong(series) ? "bandwidth" : "latency",
        spread: "band",
        tone: 0,
        points: cells.map(({ pair, cell: { value, low, high } }, i) => ({
          x: i + 1,
          y: value,
          low,
          high,
          note: `ranks ${pair.join(" and ")}`,
        })),
      },
    ],
    ranges: [],
  };
}

function pairRow(series: PageSeries, [client = 0, server = 0]: number[], i: number): CellValue[] {
  return [client, server, ...timeCells(series, i)];
}

/** Times of a member and the bandwidth at the median. */
function timeCells(series: PageSeries, i: number): CellValue[] {
  const times = extentOf(series, i);
  return [...extentTexts(times, "s"), formatValue(bytesOf(series) / times.median, "B/s")];
}

// ---- rings ----

function ringFigures(record: PageRecord): Block[] {
  const times = definingSeries(record, "ring");
  const warmUps = definingSeries(record, "ring", "warm_up");
  const sizes = [...new Set(times.map(bytesOf))];
  const options = sizes.map((bytes) => {
    const own = (all: PageSeries[]) => all.filter((series) => bytesOf(series) === bytes);
    return { label: `${bytes} bytes`, figure: ringFigure(bytes, own(times), own(warmUps)) };
  });
  return chosenFrom("hpcc-rings", "Rings, messages of", options);
}

function ringFigure(bytes: number, times: PageSeries[], warmUps: PageSeries[]): Figure {
  const lines = [
    ...merged(times).map((group, tone) => ringLine(group, tone, false)),
    ...merged(warmUps).map((group, tone) => ringLine(group, tone, true)),
  ];
  return figure({
    id: `hpcc-rings-${bytes}`,
    title: `Rings of all ranks, ${bytes} bytes`,
    what:
      "Time of a message by order of the ring: ring 0 is the natural order, the others are random. Median over all " +
      "samples, from the shortest to the longest; dashed is the warm-up before each, which counts for nothing.",
    method: METHOD,
    drawing: {
      kind: "lines",
      x: { title: "ring", unit: "", scale: "linear" },
      y: { title: "time of a message", unit: "s", scale: "log10" },
      series: lines,
      ranges: [],
    },
    table: () => ({
      columns: ["way", "ring", "median time", "shortest", "longest", "bandwidth of a rank"],
      rows: [...times, ...warmUps].flatMap((series) => ringRows(series)),
    }),
    data: () => ({ times, warmUps }),
  });
}

/** Natural and random rings of one way of exchanging are one line. */
function merged(all: PageSeries[]): PageSeries[][] {
  const ways = [...new Set(all.map((series) => label(series, "exchange")))];
  return ways.map((way) => all.filter((series) => label(series, "exchange") === way));
}

function wayOf(series: PageSeries | undefined): string {
  if (!series) return "";
  const name = label(series, "exchange").replaceAll("_", " ");
  return label(series, "series") === "warm_up" ? `${name}, warm-up` : name;
}

function ringLine(group: PageSeries[], tone: number, dashed: boolean): Series {
  const points = group.flatMap((series) =>
    series.members.map(([ring = 0], i) => {
      const { low, median, high } = extentOf(series, i);
      return { x: ring, y: median, low, high };
    }),
  );
  points.sort((a, b) => a.x - b.x);
  return { name: wayOf(group[0]), spread: dashed ? "none" : "bars", tone, dashed, points };
}

function ringRows(series: PageSeries): CellValue[][] {
  return series.members.map(([ring = 0], i) => [
    wayOf(series),
    ring === 0 ? "natural" : `random ${ring}`,
    ...timeCells(series, i),
  ]);
}
