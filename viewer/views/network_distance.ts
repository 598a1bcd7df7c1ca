// How bandwidth falls with the logical distance when all nodes send at once.
import {
  type Block,
  type CellValue,
  chosenFrom,
  type Figure,
  figure,
  noted,
  type Series,
  tableFigure,
} from "../model/figure";
import { expectedLine, lineFromOne } from "../model/lines";
import { heatMap, matrixData, matrixTable } from "../model/matrix";
import { networkFacts, rankName } from "../model/network";
import type { Distance, DistanceLoad, SlowPart } from "../model/record";
import { formatShare, formatValue } from "../model/units";
import { registerView } from "../model/view";

registerView({
  section: "network",
  order: 6,
  blocks: (record) => {
    const facts = networkFacts(record)?.distance;
    return facts ? [...figures(facts), ...facts.notes.map(noted), ...slowFigure(facts.slow)] : [];
  },
});

function figures(facts: Distance): Block[] {
  const options = [{ label: "all ranks", figure: ratioFigure(facts) }];
  if (facts.per_rank.length > 0) options.push({ label: "rank by rank", figure: rankFigure(facts) });
  return chosenFrom("network-distance-by", "Bandwidth over distance:", options);
}

function ratioFigure(facts: Distance): Figure {
  return figure({
    id: "network-distance",
    title: "Bandwidth over distance",
    what:
      `How many times less bandwidth each of ${facts.nodes} nodes has at distance d than at distance 1, all ` +
      `sending ${formatValue(facts.message, "B")} at once; bars or shades are intervals. The mean is ratDist of Servet.`,
    method: facts.ratio[1]?.method ?? facts.reference.method,
    drawing: {
      kind: "lines",
      x: { title: "distance between ranks", unit: "", scale: "linear" },
      y: { title: "times less than at distance 1", unit: "ratio", scale: "linear" },
      series: ratioLines(facts),
      ranges: facts.exchange.flatMap((exchange, i) =>
        exchange ? [{ name: "exchange", low: i + 1, high: i + 1, kind: "declared" as const }] : [],
      ),
    },
    table: () => ({
      columns: ["distance", "ratio", "mean", "slowest rank", "harmonic mean", ...loadColumns(facts)],
      rows: facts.ratio.map((ratio, i) => [
        i + 1,
        ratio,
        facts.bandwidth[i] ?? null,
        facts.slowest?.bandwidth[i] ?? null,
        facts.harmonic?.bandwidth[i] ?? null,
        ...loadCells(facts, i),
      ]),
    }),
    data: () => facts,
  });
}

const LOAD_COLUMNS: [title: string, of: (load: DistanceLoad) => CellValue][] = [
  ["hops", ({ hops }) => hops],
  ["messages on the busiest link", ({ busiest }) => busiest],
  ["by link shares", ({ ratio }) => ratio],
  ["by link rate", ({ bandwidth }) => (bandwidth === null ? null : formatValue(bandwidth, "B/s"))],
];

/** What a structure makes of the distances, where one is known. */
function loadColumns({ loads }: Distance): string[] {
  return loads.length > 0 ? LOAD_COLUMNS.map(([title]) => title) : [];
}

function loadCells({ loads }: Distance, index: number): CellValue[] {
  const load = loads[index];
  return loads.length > 0 ? LOAD_COLUMNS.map(([, of]) => (load ? of(load) : null)) : [];
}

function ratioLines({ ratio, slowest, harmonic, loads, loads_of, structure }: Distance): Series[] {
  const shares = loads.flatMap((load, i): [number, number][] => (load ? [[i + 1, load.ratio]] : []));
  return [
    lineFromOne("mean (ratDist)", 0, ratio),
    ...(slowest ? [lineFromOne("slowest rank", 1, slowest.ratio)] : []),
    ...(harmonic ? [lineFromOne("harmonic mean", 2, harmonic.ratio)] : []),
    ...(shares.length > 0
      ? [expectedLine(`by link shares (${loads_of ?? "known"} ${structure})`, 3, shares)]
      : []),
    expectedLine(
      "no contention",
      4,
      ratio.map((_, i) => [i + 1, 1]),
    ),
  ];
}

function rankFigure(facts: Distance): Figure {
  const ranks = facts.per_rank[0]?.map((_, rank) => rankName(rank, facts.hosts[rank])) ?? [];
  const distances = facts.per_rank.map((_, i) => String(i + 1));
  const names = { rowTitle: "distance", columnTitle: "rank", rows: distances, columns: ranks };
  return figure({
    id: "network-distance-ranks",
    title: "Bandwidth rank by rank",
    what: "Bandwidth of each rank at each distance. A slow link or node shows in the ranks whose messages use it.",
    method: facts.per_rank.flat().find((cell) => cell !== null)?.method ?? "",
    drawing: heatMap(facts.per_rank, names),
    table: () => matrixTable(facts.per_rank, names),
    data: () => matrixData(facts.per_rank, names),
  });
}

/** What administrators look at first. */
function slowFigure(parts: SlowPart[]): Block[] {
  return tableFigure({
    id: "network-slow",
    title: "Slow parts",
    what:
      "Parts of the network that ranks whose messages take longer than others at the same distance have in " +
      "common, if it has the structure named: look at their cables, adapters and switch ports.",
    method: parts[0]?.factor.method ?? "",
    columns: ["part", "where", "takes as long as others", "differences explained", "if it is a"],
    rows: parts.map((part) => [
      part.kind,
      whereOf(part),
      part.factor,
      formatShare(part.explained),
      part.structure || null,
    ]),
    data: () => parts,
  });
}

function whereOf({ ranks, hosts }: SlowPart): string {
  return ranks.map((rank, i) => rankName(rank, hosts[i])).join(" – ");
}
