// How blocks and drawings become elements: each module of draw/, or of a kind, registers what it draws.
import type { Block, DataTable, Drawing } from "../base/payload";

type Draw<T> = (one: T) => HTMLElement;

/** The table of a drawing and what is copied of it, for figures that have none of their own. */
interface Content<T> {
  table: (drawing: T) => DataTable;
  data: (drawing: T) => unknown;
}

const blocks = new Map<string, Draw<never>>();
const drawings = new Map<string, Draw<never>>();
const contents = new Map<string, Content<never>>();

export function registerBlock<T extends Block>(name: T["block"], draw: Draw<T>): void {
  blocks.set(name, draw);
}

export function registerDrawing<T extends Drawing>(
  kind: T["kind"],
  draw: Draw<T>,
  content?: Content<T>,
): void {
  drawings.set(kind, draw);
  if (content) contents.set(kind, content);
}

export function blockOf(block: Block): HTMLElement {
  return registered(blocks, block.block)(block as never);
}

export function drawn(drawing: Drawing): HTMLElement {
  return registered(drawings, drawing.kind)(drawing as never);
}

/** The table of a drawing that is one. */
export function tableOfDrawing(drawing: Drawing): DataTable {
  return registered(contents, drawing.kind).table(drawing as never);
}

/** Null of a drawing that has no content of its own. */
export function dataOfDrawing(drawing: Drawing): unknown {
  return contents.get(drawing.kind)?.data(drawing as never) ?? null;
}

function registered<T>(known: Map<string, T>, name: string): T {
  const found = known.get(name);
  if (!found) throw new Error(`Nothing draws "${name}".`);
  return found;
}
