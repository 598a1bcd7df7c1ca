// What tests look for among the blocks of a page.
import assert from "node:assert/strict";
import type { Block, Drawing, Figure, Stamp, Tile } from "./figure";
import type { Section } from "./view";

export function blocksIn(sections: Section[]): Block[] {
  return sections.flatMap(({ blocks }) => blocks);
}

/** All figures, those that can be chosen among them. */
export function figuresIn(sections: Section[]): Figure[] {
  return blocksIn(sections).flatMap((block) => {
    if (block.block === "figure") return [block];
    return block.block === "choice" ? block.options.map(({ figure }) => figure) : [];
  });
}

export function figureIn(sections: Section[], id: string): Figure {
  const found = figuresIn(sections).find((one) => one.id === id);
  assert.ok(found, `no figure ${id}`);
  return found;
}

/** The drawing of a figure that is of this kind. */
export function drawingIn<K extends Drawing["kind"]>(
  sections: Section[],
  id: string,
  kind: K,
): Extract<Drawing, { kind: K }> {
  const { drawing } = figureIn(sections, id);
  assert.equal(drawing?.kind, kind);
  return drawing as Extract<Drawing, { kind: K }>;
}

export function stampIn(sections: Section[]): Stamp {
  const found = blocksIn(sections).find((block) => block.block === "stamp");
  assert.ok(found, "no stamp");
  return found;
}

export function tilesIn(sections: Section[]): Tile[] {
  return blocksIn(sections).flatMap((block) => (block.block === "tiles" ? block.tiles : []));
}

export function notesIn(sections: Section[]): string[] {
  return blocksIn(sections).flatMap((block) => (block.block === "note" ? [block.text] : []));
}

/** Every figure has a name of its own, a caption, rows as wide as its columns, and data. */
export function assertWhole(figures: Figure[]): void {
  assert.equal(new Set(figures.map(({ id }) => id)).size, figures.length);
  for (const { id, title, what, drawing, table, data } of figures) {
    const { columns, rows } = table();
    if (drawing?.kind === "lines") assert.ok(drawing.x.title && drawing.y.title, id);
    assert.ok(title && what, id);
    assert.ok(rows.length > 0, id);
    assert.ok(
      rows.every((row) => row.length === columns.length),
      id,
    );
    assert.ok(JSON.stringify(data()), id);
  }
}
