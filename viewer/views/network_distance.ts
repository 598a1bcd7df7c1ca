// How bandwidth falls with the logical distance when all nodes send at once.
import { type Block, chosenFrom, type Figure, figure, note, type Series } from "../model/figure";
import { heatMap, matrixData, matrixTable } from "../model/matrix";
import { expectedLine, lineFromOne, networkFacts, rankName } from "../model/network";
import type { Distance } from "../model/record";
import { formatValue } from "../model/units";
import { registerView } from "../model/view";

registerView({
  section: "network",
  order: 4,
  blocks: (record) => {
    const facts = networkFacts(record)?.distance;
    return facts ? [...figures(facts), ...facts.notes.map(note)] : [];
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
      `sending ${formatValue(facts.message, "B")} at once; bars are intervals. The mean is ratDist of Servet.`,
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
      columns: ["distance", "ratio", "mean", "slowest rank", "harmonic mean", "hops", "by link shares"],
      rows: facts.ratio.map((ratio, i) => [
        i + 1,
        ratio,
        facts.bandwidth[i] ?? null,
        facts.slowest?.bandwidth[i] ?? null,
        facts.harmonic?.bandwidth[i] ?? null,
        facts.loads[i]?.hops ?? null,
        facts.loads[i]?.ratio ?? null,
      ]),
    }),
    data: () => facts,
  });
}

function ratioLines({ ratio, slowest, harmonic, loads, loads_of }: Distance): Series[] {
  const shares = loads.flatMap((load, i): [number, number][] => (load ? [[i + 1, load.ratio]] : []));
  return [
    lineFromOne("mean (ratDist)", 0, ratio),
    ...(slowest ? [lineFromOne("slowest rank", 1, slowest.ratio)] : []),
    ...(harmonic ? [lineFromOne("harmonic mean", 2, harmonic.ratio)] : []),
    ...(shares.length > 0 ? [expectedLine(`by link shares (${loads_of ?? "known"})`, 3, shares)] : []),
    expectedLine("no contention", 4, [
      [1, 1],
      [Math.max(ratio.length, 1), 1],
    ]),
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
