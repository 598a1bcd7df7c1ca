// Rows of parts that follow each other on one axis: where the time of each rank went.
import { layoutAxis } from "../../base/axis";
import type { StackChart } from "../../base/payload";
import { formatValue } from "../../base/units";
import { type PixelAxis, pixelAxis, AXIS, horizontalAxis, OVERHANG } from "../../draw/axis";
import { drawing, el, svg } from "../../draw/dom";
import { legendOf } from "../../draw/legend";
import { registerDrawing } from "../../draw/registry";
import { redrawOnChange } from "../../draw/redraw";
import { cutText, roomFor } from "../../draw/text";

registerDrawing<StackChart>("stacks", drawStacks);

type Row = StackChart["rows"][number];

const WIDE = 760;
const WORDS_WIDTH = 190;
const LETTER = 6.3;
const FONT = 12.5;
const EDGE = 10;
const ROW = 20;
/** Of many rows each gets less. */
const NARROW_ROW = 15;
const FEW = 24;
const GAP = 4;
const TOP = 4;
const MOST_NAME = 0.25;

interface Layout {
  width: number;
  left: number;
  right: number;
  row: number;
  words: boolean;
}

function drawStacks(chart: StackChart): HTMLElement {
  const plot = el("div", { class: "plot strips stacks" });
  redrawOnChange(plot, (width) => {
    plot.replaceChildren(picture(chart, layoutIn(width, chart)));
  });
  return el("div", {}, legendOf(chart.parts), plot);
}

function layoutIn(width: number, { rows }: StackChart): Layout {
  const words = width >= WIDE;
  const longest = rows.reduce((most, { name }) => Math.max(most, name.length), 1);
  const names = Math.max(OVERHANG, Math.min(roomFor(longest, FONT), MOST_NAME * width) + EDGE);
  const right = words ? width - WORDS_WIDTH : width - OVERHANG;
  return { width, left: names, right, row: rows.length > FEW ? NARROW_ROW : ROW, words };
}

function picture(chart: StackChart, layout: Layout): SVGElement {
  const { left, right, width, row } = layout;
  const sums = chart.rows.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  const most = Math.max(2, Math.min(9, Math.floor((right - left) / 80)));
  const x = pixelAxis(chart.x, layoutAxis([0, ...sums], chart.x, most), left, right);
  const height = TOP + chart.rows.length * row;
  return drawing(
    {
      width,
      height: height + AXIS,
      label: chart.rows.map(({ name, text }) => `${name}: ${text}`).join("; "),
    },
    ...horizontalAxis(x, { x: left, y: 0, width: right - left, height }),
    ...chart.rows.map((one, i) => rowOf(one, TOP + i * row, chart, layout, x)),
  );
}

function rowOf(row: Row, top: number, { parts, x: axis }: StackChart, layout: Layout, x: PixelAxis): Element {
  const middle = top + layout.row / 2 + 4;
  let before = 0;
  const boxes = row.values.map((value, i) => {
    const from = x.place(before);
    before += value;
    const part = parts[i];
    const title = `${row.name}: ${part?.name ?? ""} ${formatValue(value, axis.unit)}`;
    const size = { x: from, y: top + GAP / 2, width: Math.max(0, x.place(before) - from) };
    const look = { height: layout.row - GAP, class: `part ink-${(part?.tone ?? 0) % 7}` };
    return svg("rect", { ...size, ...look }, svg("title", {}, title));
  });
  const room = layout.width - layout.right - EDGE;
  return svg(
    "g",
    {},
    cutText(row.name, { x: 0, y: middle, room: layout.left - EDGE, letter: LETTER }, { class: "name" }),
    ...boxes,
    layout.words &&
      cutText(row.text, { x: layout.right + EDGE, y: middle, room, letter: LETTER }, { class: "words" }),
  );
}
