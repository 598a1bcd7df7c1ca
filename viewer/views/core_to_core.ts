// What it costs to hand a cache line from core to core, and the layers in it.
import { type Block, type Figure, figure, notMeasured, tableFigure } from "../model/figure";
import { heatMap, type Matrix, matrixData, matrixTable, packageBorders } from "../model/matrix";
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
    return [matrices(node, found), ...layerFigure(found.layers)];
  },
});

/** The plain store alone, or a choice between it and the atomic exchange where both were measured. */
function matrices(node: NodeFacts, { cores, latency, compare_exchange }: CoreToCore): Block {
  const borders = packageBorders(cores, node.cores);
  const store = matrixFigure(
    "core-to-core",
    "a plain store that the other waits for",
    cores,
    latency,
    borders,
  );
  if (compare_exchange.length === 0) return store;
  const exchange = matrixFigure(
    "core-to-core-exchange",
    "atomic exchanges on both sides",
    cores,
    compare_exchange,
    borders,
  );
  return {
    block: "choice",
    id: "core-to-core-by",
    label: "Handed over by",
    options: [
      { label: "Plain store", figure: store },
      { label: "Atomic exchange", figure: exchange },
    ],
  };
}

function matrixFigure(id: string, how: string, cores: number[], cells: Matrix, borders: number[]): Figure {
  const labels = cores.map(String);
  const names = { rowTitle: "from core", columnTitle: "to core", rows: labels, columns: labels };
  return figure({
    id,
    title: "Core-to-core latency",
    what: `One-way time of a cache line handed from one core to another by ${how}, by logical core number.`,
    method: cells.flat().find((cell) => cell !== null)?.method ?? "",
    drawing: heatMap(cells, names, borders),
    table: () => matrixTable(cells, names),
    data: () => matrixData(cells, names),
  });
}

function layerFigure(layers: LatencyLayer[]): Block[] {
  return tableFigure({
    id: "layers",
    title: "Layers of the node",
    what: "Pairs of cores whose latencies lie together, nearest layer first.",
    method: layers[0]?.latency.method ?? "",
    columns: ["layer", "latency", "pairs", "for example"],
    rows: layers.map(({ latency, pairs }, i) => [i + 1, latency, pairs.length, examplesOf(pairs)]),
    data: () => layers,
  });
}

function examplesOf(pairs: [number, number][]): string {
  const shown = pairs.slice(0, 4).map(([a, b]) => `${a}–${b}`);
  return shown.join(", ") + (pairs.length > 4 ? ", …" : "");
}
