// Matrices of quantities as tables, and what is copied of them.
import type { DataTable, HeatMap, Quantity } from "./payload";

type CellValue = DataTable["rows"][number][number];

/** One row per cell that was measured. */
export function matrixTable({ cells, row_title, column_title, rows, columns }: HeatMap): DataTable {
  const entries = cells.flatMap((row, i) =>
    row.flatMap((cell, j): CellValue[][] =>
      cell ? [[rows[i] ?? i, columns[j] ?? j, cell, cell.samples?.n ?? null]] : [],
    ),
  );
  return { columns: [row_title, column_title, "value", "samples"], rows: entries, units: [] };
}

/** The matrix as plain numbers by column of the quantity: a tenth of the size of its cells. */
export function matrixData({ cells, rows, columns }: HeatMap): unknown {
  const first = cells.flat().find((cell) => cell !== null);
  const take = (field: keyof Pick<Quantity, "value" | "low" | "high">) =>
    cells.map((row) => row.map((cell) => cell?.[field] ?? null));
  return {
    rows,
    columns,
    unit: first?.unit ?? null,
    method: first?.method ?? null,
    value: take("value"),
    low: take("low"),
    high: take("high"),
  };
}
