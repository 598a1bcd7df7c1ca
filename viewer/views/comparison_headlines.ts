// Headline quantities of several surveys with their ratio to the first.
import { compared, headline, type Headline, headlineFigure } from "../model/comparison";
import { networkFacts } from "../model/network";
import type { NetworkFacts, NodeFacts } from "../model/record";
import { cacheName, nodeFacts } from "../model/survey";
import { registerComparison } from "../model/view";

registerComparison({
  section: "comparison",
  order: 1,
  compare: (records) => {
    const surveys = records.filter((record) => nodeFacts(record) !== null);
    const all = compared(surveys, (record) => [
      ...headlinesOf(nodeFacts(record)),
      ...networkHeadlines(networkFacts(record)),
    ]);
    return surveys.length > 1 ? headlineFigure("headlines", "Headline quantities", all) : [];
  },
});

function headlinesOf(node: NodeFacts | null): Headline[] {
  if (!node) return [];
  return [
    ...headline("core frequency", node.clock?.core_frequency),
    ...node.caches.flatMap((cache) => [
      { name: `${cacheName(cache)} size`, quantity: cache.size },
      { name: `${cacheName(cache)} latency`, quantity: cache.latency },
    ]),
    ...headline("memory latency", node.memory?.latency),
    ...bandwidthHeadlines(node),
    ...(node.core_to_core?.layers ?? []).map(({ latency }, i) => ({
      name: `core to core, layer ${i + 1}`,
      quantity: latency,
    })),
  ];
}

function networkHeadlines(network: NetworkFacts | null): Headline[] {
  if (!network) return [];
  const { layers, distance, receiver } = network;
  return [
    ...layers.flatMap(({ name, latency, bandwidth }) => [
      ...headline(`message latency, ${name}`, latency),
      ...headline(`message bandwidth, ${name}`, bandwidth),
    ]),
    ...(distance?.ratio ?? []).flatMap((ratio, i) =>
      isDoubled(i + 1) ? headline(`bandwidth at distance 1 over that at ${i + 1}`, ratio) : [],
    ),
    ...headline("one node takes in", receiver?.bandwidth),
  ];
}

/** 2, 4, 8 …: of many nodes single distances say little. */
function isDoubled(distance: number): boolean {
  return distance > 1 && Number.isInteger(Math.log2(distance));
}

/** One core and as many as were used, per kernel. */
function bandwidthHeadlines({ memory }: NodeFacts): Headline[] {
  return Object.entries(memory?.bandwidth ?? {}).flatMap(([kernel, points]) => [
    ...headline(`${kernel}, one core`, points.find(({ cores }) => cores === 1)?.value),
    ...headline(
      `${kernel}, all cores`,
      points.reduce<(typeof points)[number] | undefined>(
        (most, point) => (most && most.cores >= point.cores ? most : point),
        undefined,
      )?.value,
    ),
  ]);
}
