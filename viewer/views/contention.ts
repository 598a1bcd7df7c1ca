// Which cores slow which when both stream through memory.
import { type Block, figure, note, notMeasured } from "../model/figure";
import { heatMap, type Matrix, matrixData, matrixTable, packageBorders } from "../model/matrix";
import type { ContentionPair, NodeFacts } from "../model/record";
import { nodeFacts } from "../model/survey";
import { formatIds } from "../model/units";
import { registerView } from "../model/view";

registerView({
  section: "memory",
  order: 3,
  blocks: (record) => {
    const node = nodeFacts(record);
    if (!node) return [];
    const pairs = node.memory?.contention_pairs ?? [];
    const groups = groupsNote(node.memory?.contention_groups ?? null);
    return pairs.length > 0
      ? [contentionFigure(node, pairs), ...groups]
      : [notMeasured("Contention"), ...groups];
  },
});

function groupsNote(groups: number[][] | null): Block[] {
  if (groups === null) return [];
  const shown = groups.slice(0, 16).map(formatIds).join(" | ");
  const rest = groups.length > 16 ? ` | … ${groups.length} groups` : "";
  return [note(`Cores that slow one another: ${shown}${rest}.`)];
}

function contentionFigure(node: NodeFacts, pairs: ContentionPair[]): Block {
  const rows = sorted(pairs.map(({ core }) => core));
  const columns = sorted(pairs.map(({ other }) => other));
  const names = {
    rowTitle: "core",
    columnTitle: "other core",
    rows: rows.map(String),
    columns: columns.map(String),
  };
  const cells = cellsOf(pairs, rows, columns);
  return figure({
    id: "contention",
    title: "Contention for memory",
    what:
      "How many times faster a core streams alone than beside the other core; " +
      "1 means that they do not disturb each other.",
    method: pairs[0]?.ratio.method ?? "",
    drawing: heatMap(cells, names, packageBorders(columns, node.cores)),
    table: () => matrixTable(cells, names),
    data: () => matrixData(cells, names),
  });
}

function sorted(ids: number[]): number[] {
  return [...new Set(ids)].sort((a, b) => a - b);
}

function cellsOf(pairs: ContentionPair[], rows: number[], columns: number[]): Matrix {
  const found = new Map(pairs.map(({ core, other, ratio }) => [`${core} ${other}`, ratio]));
  return rows.map((row) => columns.map((column) => found.get(`${row} ${column}`) ?? null));
}
