// Headline quantities of several records with their ratio to the first.
import { type CellValue, figure } from "../model/figure";
import { ratioOf } from "../model/quantity";
import type { NodeFacts, PageRecord, Quantity } from "../model/record";
import { cacheName, nodeFacts } from "../model/survey";
import { registerComparison } from "../model/view";

interface Headline {
  name: string;
  quantity: Quantity;
}

registerComparison({
  section: "comparison",
  order: 1,
  compare: (records) => {
    const all = records.map((record) => headlinesOf(nodeFacts(record)));
    const names = [...new Set(all.flat().map(({ name }) => name))];
    if (names.length === 0) return [];
    return [
      figure({
        id: "headlines",
        title: "Headline quantities",
        what: `Ratios are relative to ${records[0]?.name ?? "the first record"}; their intervals hold every ratio of the two intervals.`,
        method: "",
        drawing: null,
        table: () => ({ columns: columnsOf(records), rows: names.map((name) => rowOf(name, all)) }),
        data: () => records.map((record, i) => ({ name: record.name, headlines: all[i] })),
      }),
    ];
  },
});

function columnsOf([first, ...others]: PageRecord[]): string[] {
  return ["quantity", first?.name ?? "", ...others.flatMap(({ name }) => [name, "ratio", "verdict"])];
}

function rowOf(name: string, all: Headline[][]): CellValue[] {
  const [base, ...others] = all.map(
    (one) => one.find((headline) => headline.name === name)?.quantity ?? null,
  );
  return [name, base ?? null, ...others.flatMap((other) => comparedTo(base ?? null, other))];
}

function comparedTo(base: Quantity | null, other: Quantity | null): CellValue[] {
  const ratio = base && other ? ratioOf(other, base) : null;
  return [other, ratio, ratio ? verdictOf(ratio) : null];
}

function verdictOf({ low, high }: Quantity): string {
  if (low > 1) return "higher";
  return high < 1 ? "lower" : "indistinguishable";
}

function headlinesOf(node: NodeFacts | null): Headline[] {
  if (!node) return [];
  return [
    ...one("core frequency", node.clock?.core_frequency),
    ...node.caches.flatMap((cache) => [
      { name: `${cacheName(cache)} size`, quantity: cache.size },
      { name: `${cacheName(cache)} latency`, quantity: cache.latency },
    ]),
    ...one("memory latency", node.memory?.latency),
    ...bandwidthHeadlines(node),
    ...(node.core_to_core?.layers ?? []).map(({ latency }, i) => ({
      name: `core to core, layer ${i + 1}`,
      quantity: latency,
    })),
  ];
}

/** One core and as many as were used, per kernel. */
function bandwidthHeadlines({ memory }: NodeFacts): Headline[] {
  return Object.entries(memory?.bandwidth ?? {}).flatMap(([kernel, points]) => [
    ...one(`${kernel}, one core`, points.find(({ cores }) => cores === 1)?.value),
    ...one(
      `${kernel}, all cores`,
      points.reduce<(typeof points)[number] | undefined>(
        (most, point) => (most && most.cores >= point.cores ? most : point),
        undefined,
      )?.value,
    ),
  ]);
}

function one(name: string, quantity: Quantity | null | undefined): Headline[] {
  return quantity ? [{ name, quantity }] : [];
}
