// Cells of a drawing one of which the arrow keys, the pointer or a tap choose.
import type { Box } from "../base/labels";
import { svg } from "./dom";

export interface Cell {
  row: number;
  column: number;
}

interface Size {
  rows: number;
  columns: number;
}

/** Calls `describe` for each cell that is chosen in `plot`, whose `.cells` holds them all, and frames the cell. */
export function followCells(plot: HTMLElement, size: Size, describe: (cell: Cell) => void): void {
  const cursor: Cell = { row: 0, column: 0 };
  const choose = () => {
    describe(cursor);
    moveFrame(plot, cursor);
  };
  plot.addEventListener("keydown", (event) => {
    if (moveCursor(cursor, event.key, size)) {
      event.preventDefault();
      choose();
    }
  });
  // A finger that taps does not move.
  for (const pointed of ["pointerdown", "pointermove"] as const)
    plot.addEventListener(pointed, (event) => {
      if (pointCursor(cursor, plot, event, size)) choose();
    });
}

/** What is moved over the chosen cell, at the place of the first one. */
export function cellFrame({ x, y, width, height }: Box): SVGRectElement {
  const frame = svg("rect", { class: "frame", x, y, width, height, visibility: "hidden" });
  Object.assign(frame.dataset, { left: String(x), top: String(y) });
  return frame;
}

function moveFrame(plot: Element, { row, column }: Cell): void {
  const frame = plot.querySelector<SVGRectElement>(".frame");
  if (!frame) return;
  const { left, top } = frame.dataset;
  const moved = (from: string | undefined, cells: number, size: "width" | "height") =>
    String(Number(from) + cells * Number(frame.getAttribute(size)));
  frame.setAttribute("x", moved(left, column, "width"));
  frame.setAttribute("y", moved(top, row, "height"));
  frame.setAttribute("visibility", "visible");
}

const STEPS: Record<string, readonly [row: number, column: number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

function moveCursor(cursor: Cell, key: string, { rows, columns }: Size): boolean {
  const step = STEPS[key];
  if (!step) return false;
  cursor.row = Math.min(rows - 1, Math.max(0, cursor.row + step[0]));
  cursor.column = Math.min(columns - 1, Math.max(0, cursor.column + step[1]));
  return true;
}

function pointCursor(
  cursor: Cell,
  plot: Element,
  { clientX, clientY }: PointerEvent,
  { rows, columns }: Size,
): boolean {
  const grid = plot.querySelector(".cells")?.getBoundingClientRect();
  if (!grid) return false;
  const column = Math.floor(((clientX - grid.left) / grid.width) * columns);
  const row = Math.floor(((clientY - grid.top) / grid.height) * rows);
  if (row < 0 || column < 0 || row >= rows || column >= columns) return false;
  Object.assign(cursor, { row, column });
  return true;
}
