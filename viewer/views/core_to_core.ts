// What it costs to hand a cache line from core to core, and the layers in it.
import { type Block, figure, notMeasured } from "../model/figure";
import { heatMap, matrixData, matrixTable, packageBorders } from "../model/matrix";
import type { CoreToCore, LatencyLayer, NodeFacts } from "../model/record";
import { nodeFacts } from "../model/survey";
import { registerView } from "../model/view";

registerView({
  section: "cores",
  blocks: (record) => {
    const node = nodeFacts(record);
    if (!node) return [];
    const found = node.core_to_core;
    if (!found || found.latency.length === 0) return [notMeasured("Core-to-core latency")];
    return [matrixFigure(node, found), ...layerFigure(found.layers)];
  },
});

function matrixFigure(node: NodeFacts, { cores, latency }: CoreToCore): Block {
  const labels = cores.map(String);
  const names = { rowTitle: "from core", columnTitle: "to core", rows: labels, columns: labels };
  return figure({
    id: "core-to-core",
    title: "Core-to-core latency",
    what: "One-way time of a cache line handed from one core to another, by logical core number.",
    method: latency.flat().find((cell) => cell !== null)?.method ?? "",
    drawing: heatMap(latency, names, packageBorders(cores, node.cores)),
    table: () => matrixTable(latency, names),
    data: () => matrixData(latency, names),
  });
}

function layerFigure(layers: LatencyLayer[]): Block[] {
  if (layers.length === 0) return [];
  return [
    figure({
      id: "layers",
      title: "Layers of the node",
      what: "Pairs of cores whose latencies lie together, nearest layer first.",
      method: layers[0]?.latency.method ?? "",
      drawing: null,
      table: () => ({
        columns: ["layer", "latency", "pairs", "for example"],
        rows: layers.map(({ latency, pairs }, i) => [i + 1, latency, pairs.length, examplesOf(pairs)]),
      }),
      data: () => layers,
    }),
  ];
}

function examplesOf(pairs: [number, number][]): string {
  const shown = pairs.slice(0, 4).map(([a, b]) => `${a}–${b}`);
  return shown.join(", ") + (pairs.length > 4 ? ", …" : "");
}
