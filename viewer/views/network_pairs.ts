// Who is near whom: latency between pairs of ranks, of a sample by blocks of neighbouring ranks.
import { type Block, chosenFrom, type Figure, figure, type HeatMap, type Table } from "../model/figure";
import { heatMap } from "../model/matrix";
import { networkFacts, rankName } from "../model/network";
import { blocksOf, type MeasuredPair, pairMatrix, pairsIn } from "../model/pairs";
import type { NetworkFacts, PairLatencies } from "../model/record";
import { registerView } from "../model/view";
import { count } from "../model/words";

registerView({
  section: "network",
  order: 5,
  blocks: (record) => {
    const network = networkFacts(record);
    return network?.pairs ? figuresOf(network, network.pairs) : [];
  },
});

/** All pairs, and those of different nodes alone where the others would take most of the colours. */
function figuresOf(network: NetworkFacts, facts: PairLatencies): Block[] {
  const all = pairsIn(network);
  if (all.length === 0) return [];
  const hostOf = new Map(facts.ranks.map((rank, i) => [rank, facts.hosts[i]]));
  const apart = all.filter(({ ranks: [one, other] }) => hostOf.get(one) !== hostOf.get(other));
  const options = [{ label: "all pairs", figure: pairFigure("network-pairs", facts, all) }];
  if (apart.length > 0 && apart.length < all.length) {
    options.push({
      label: "pairs on different nodes",
      figure: pairFigure("network-pairs-apart", facts, apart),
    });
  }
  return chosenFrom("network-pairs-of", "Latency between ranks:", options);
}

function pairFigure(id: string, facts: PairLatencies, pairs: MeasuredPair[]): Figure {
  return figure({
    id,
    title: "Latency between pairs of ranks",
    method: pairs[0]?.latency.method ?? "",
    ...(facts.design.kind === "all" ? wholeMap(facts, pairs) : sampleMap(facts, pairs)),
    table: () => tableOf(pairs, facts),
    data: () => dataOf(pairs),
  });
}

type Drawn = Pick<Figure, "what"> & { drawing: HeatMap };

function wholeMap(facts: PairLatencies, pairs: MeasuredPair[]): Drawn {
  const labels = facts.ranks.map((rank, i) => rankName(rank, facts.hosts[i]));
  const names = { rowTitle: "from rank", columnTitle: "to rank", rows: labels, columns: labels };
  return {
    what: `One-way time of a message of ${facts.bytes} bytes; heavier lines part the nodes where there is room.`,
    drawing: heatMap(pairMatrix(facts.ranks, pairs), names, hostBorders(facts.hosts)),
  };
}

function sampleMap(facts: PairLatencies, pairs: MeasuredPair[]): Drawn {
  const { size, labels, cells } = blocksOf(facts.ranks, pairs);
  const names = { rowTitle: "from ranks", columnTitle: "to ranks", rows: labels, columns: labels };
  const cell = size > 1 ? `the median of the pairs measured between two blocks of ${size} ranks` : "one pair";
  return {
    what:
      `One-way time of a message of ${facts.bytes} bytes, of a sample of ${count(pairs.length, "pair")}: a cell is ` +
      `${cell}, empty where none was measured.`,
    drawing: heatMap(cells, names),
  };
}

function tableOf(pairs: MeasuredPair[], { ranks, hosts }: PairLatencies): Table {
  const names = new Map(ranks.map((rank, i) => [rank, rankName(rank, hosts[i])]));
  return {
    columns: ["rank", "other rank", "one-way time", "samples"],
    rows: pairs.map(({ ranks: [one, other], latency }) => [
      names.get(one) ?? one,
      names.get(other) ?? other,
      latency,
      latency.samples?.n ?? null,
    ]),
  };
}

/** By column: a tenth of the size of one object for each pair. */
function dataOf(pairs: MeasuredPair[]): unknown {
  return {
    unit: pairs[0]?.latency.unit ?? null,
    ranks: pairs.map(({ ranks }) => ranks),
    value: pairs.map(({ latency }) => latency.value),
    low: pairs.map(({ latency }) => latency.low),
    high: pairs.map(({ latency }) => latency.high),
  };
}

/** Where the next host begins; none where each rank has a host of its own. */
function hostBorders(hosts: string[]): number[] {
  const borders = hosts.flatMap((host, i) => (i > 0 && host !== hosts[i - 1] ? [i] : []));
  return borders.length < hosts.length - 1 ? borders : [];
}
