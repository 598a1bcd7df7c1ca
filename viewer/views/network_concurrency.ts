// What several messages at once reach together.
import { type Block, figure } from "../model/figure";
import { measuredLine, pointAt } from "../model/lines";
import { byLatency, networkFacts } from "../model/network";
import type { CommunicationLayer } from "../model/record";
import { registerView } from "../model/view";

registerView({
  section: "network",
  order: 4,
  blocks: (record) => concurrency(byLatency(networkFacts(record)?.layers ?? [])),
});

function concurrency(layers: CommunicationLayer[]): Block[] {
  const known = layers.filter((layer) => layer.concurrency.length > 0);
  if (known.length === 0) return [];
  return [
    figure({
      id: "network-concurrency",
      title: "Messages at once",
      what:
        "Bandwidth of all messages of a layer over that of a single one, each between a pair of its own; " +
        "bars are intervals.",
      method: known[0]?.concurrency[0]?.bandwidth.method ?? "",
      drawing: {
        kind: "lines",
        x: { title: "messages at once", unit: "", scale: "linear" },
        y: { title: "times the bandwidth of one", unit: "ratio", scale: "linear" },
        series: known.map(({ name, concurrency: points }, tone) =>
          measuredLine(
            name,
            tone,
            points.flatMap(({ messages, scaling }) => pointAt(messages, scaling)),
          ),
        ),
        ranges: [],
      },
      table: () => ({
        columns: ["layer", "messages", "bandwidth of all", "as the slowest", "times one"],
        rows: known.flatMap((layer) =>
          layer.concurrency.map(({ messages, bandwidth, slowest, scaling }) => [
            layer.name,
            messages,
            bandwidth,
            slowest,
            scaling,
          ]),
        ),
      }),
      data: () => known.map(({ name, concurrency: points }) => ({ name, points })),
    }),
  ];
}
