// Matrices of quantities: heat maps, their tables and what is copied of them.
import type { CellValue, HeatMap, Table } from "./figure";
import type { Quantity, TopologyCore } from "./record";

export type Matrix = (Quantity | null)[][];

export interface MatrixNames {
  rowTitle: string;
  columnTitle: string;
  rows: string[];
  columns: string[];
}

export function heatMap(cells: Matrix, names: MatrixNames, borders: number[] = []): HeatMap {
  return { kind: "heat", ...names, cells, borders };
}

/** One row per cell that was measured. */
export function matrixTable(cells: Matrix, { rowTitle, columnTitle, rows, columns }: MatrixNames): Table {
  const entries = cells.flatMap((row, i) =>
    row.flatMap((cell, j): CellValue[][] =>
      cell ? [[rows[i] ?? i, columns[j] ?? j, cell, cell.samples?.n ?? null]] : [],
    ),
  );
  return { columns: [rowTitle, columnTitle, "value", "samples"], rows: entries };
}

/** The matrix as plain numbers by column of the quantity: a tenth of the size of its cells. */
export function matrixData(cells: Matrix, names: MatrixNames): unknown {
  const first = cells.flat().find((cell) => cell !== null);
  const take = (field: "value" | "low" | "high") =>
    cells.map((row) => row.map((cell) => cell?.[field] ?? null));
  return {
    rows: names.rows,
    columns: names.columns,
    unit: first?.unit ?? null,
    method: first?.method ?? null,
    value: take("value"),
    low: take("low"),
    high: take("high"),
  };
}

/** Indices at which the package changes from one core of the list to the next. */
export function packageBorders(
  cores: number[],
  known: Pick<TopologyCore, "logical" | "package">[],
): number[] {
  const packages = new Map(known.map((core) => [core.logical, core.package]));
  return cores.flatMap((core, i) => {
    const before = cores[i - 1];
    return before !== undefined && packages.get(before) !== packages.get(core) ? [i] : [];
  });
}
