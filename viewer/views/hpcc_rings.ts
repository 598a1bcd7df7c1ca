// Rings of the suite: orders of the ranks behind its values.
import { type Block, type CellValue, chosenFrom, type Figure, figure, type Series } from "../model/figure";
import { hpccFacts } from "../model/hpcc";
import { bytesOf, definingSeries, timeCells } from "../model/hpcc_messages";
import type { PageRecord, PageSeries } from "../model/record";
import { extentOf, label } from "../model/run_series";
import { registerView } from "../model/view";

const METHOD =
  "Half an iteration of sending to and receiving from both neighbours, on the slowest rank. Buffers are reused, " +
  "as the suite has it.";

registerView({
  section: "messages",
  order: 1,
  blocks: (record) => (hpccFacts(record) ? ringFigures(record) : []),
});

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
