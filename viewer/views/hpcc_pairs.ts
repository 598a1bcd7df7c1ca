// Ping-pong of the suite: pairs of ranks behind its values.
import {
  type Block,
  type CellValue,
  chosenFrom,
  type Drawing,
  type Figure,
  figure,
  type LineChart,
} from "../model/figure";
import { hpccFacts } from "../model/hpcc";
import { bytesOf, definingSeries, isLong, timeCells } from "../model/hpcc_messages";
import { heatMap, type Matrix } from "../model/matrix";
import type { PageRecord, PageSeries, Quantity } from "../model/record";
import { extentOf } from "../model/run_series";
import { registerView } from "../model/view";

/** Above this number of ranks a matrix of pairs has more gaps than cells. */
const MOST_IN_MATRIX = 64;

const METHOD =
  "Half a round trip, by the client's clock, one pair at a time. Buffers are reused, as the suite has it.";

registerView({
  section: "messages",
  order: 0,
  blocks: (record) => (hpccFacts(record) ? pairFigures(record) : []),
});

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
    what: `${bytesOf(series)} bytes: median over all samples of the pair, from the best to the worst. ${drawn ? sorted : ""}`.trim(),
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
