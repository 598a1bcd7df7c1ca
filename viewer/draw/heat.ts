// Heat maps as one SVG: single boxes with their values for small matrices, one image for big ones.
import { type ColourScale, contrast, css, mix, parseHex, type Rgb, scaleOver } from "../base/colour";
import { readable } from "../base/direction";
import { matrixData, matrixTable } from "../base/matrix";
import type { HeatMap, Quantity } from "../base/payload";
import { formatPoint, formatQuantity, formatValue, partsOf } from "../base/units";
import { cellFrame, followCells } from "./cells";
import { drawing, el, svg } from "./dom";
import { ramp, redrawOnChange } from "./redraw";
import { cutText, roomFor } from "./text";
import { registerDrawing } from "./registry";

registerDrawing<HeatMap>("heat", drawHeat, { table: matrixTable, data: matrixData });

/** Above this number of cells they are painted into one image. */
const MAX_BOXES = 1600;
const LABEL_GAP = 6;
/** Of a letter of a label. */
const LETTER = 6.9;
const FONT = 11.5;
/** Room for the title of the rows. */
const TITLE = 24;
/** Share of the width that labels of the rows may take. */
const MOST_LABELS = 0.4;
const TOP = 40;

interface Layout {
  left: number;
  width: number;
  cellWidth: number;
  cellHeight: number;
  rows: number;
  columns: number;
}

interface Paint {
  scale: ColourScale;
  ramp: Rgb[];
  ink: Rgb;
  card: Rgb;
}

/** The map with its colour bar and a line that describes the cell under pointer or keys. */
function drawHeat(map: HeatMap): HTMLElement {
  const readout = el("p", { class: "readout", "aria-live": "polite" });
  const plot = el("div", {
    class: "plot heat",
    tabindex: 0,
    role: "group",
    "aria-label": `Heat map of ${map.rows.length} by ${map.columns.length}; arrow keys describe single cells`,
  });
  readout.textContent = "Point at a cell or use the arrow keys.";
  redrawOnChange(plot, (width) => {
    plot.replaceChildren(...picture(map, width));
  });
  followCells(plot, { rows: map.rows.length, columns: map.columns.length }, (cell) => {
    readout.textContent = readable(cellText(map, cell.row, cell.column));
  });
  return el("div", {}, plot, readout);
}

function cellText(map: HeatMap, row: number, column: number): string {
  const cell = map.cells[row]?.[column] ?? null;
  const place = `${map.row_title} ${map.rows[row] ?? ""}, ${map.column_title} ${map.columns[column] ?? ""}`;
  return `${place}: ${cell ? formatQuantity(cell) : map.absent}`;
}

function picture(map: HeatMap, width: number): (Element | string)[] {
  const present = map.cells.flat().filter((cell) => cell !== null);
  const [first] = present;
  if (!first) return ["Nothing was measured."];
  const paint: Paint = {
    scale: scaleOver([...present.map(({ value }) => value), ...map.span]),
    ramp: ramp().map(parseHex),
    ink: parseHex("#1f2328"),
    card: parseHex("#ffffff"),
  };
  const layout = layoutOf(map, width);
  const absent = present.length < map.rows.length * map.columns.length && map.absent;
  return [mapSvg(map, layout, paint), colourBar(paint, first.unit, absent)];
}

function layoutOf({ rows, columns }: HeatMap, width: number): Layout {
  const left = TITLE + LABEL_GAP + Math.min(roomFor(longestOf(rows), FONT), MOST_LABELS * width);
  const room = (width - left - 2) / columns.length;
  const cellWidth = Math.min(room, columns.length <= 8 ? 150 : 64);
  const cellHeight = Math.min(cellWidth, columns.length <= 8 ? 48 : 44);
  return { left, width, cellWidth, cellHeight, rows: rows.length, columns: columns.length };
}

function mapSvg(map: HeatMap, layout: Layout, paint: Paint): SVGSVGElement {
  const { left, cellWidth, cellHeight, rows, columns } = layout;
  const width = Math.ceil(left + Math.max(columns * cellWidth, titleLength(map.column_title)) + 2);
  const height = Math.ceil(TOP + Math.max(rows * cellHeight, titleLength(map.row_title)) + 2);
  const boxed = rows * columns <= MAX_BOXES;
  const picture = drawing(
    { width, height, label: `${map.row_title} by ${map.column_title}` },
    svg("text", { x: left, y: 12, class: "axis-title" }, `${map.column_title} →`),
    svg(
      "text",
      { x: 12, y: TOP, class: "axis-title", transform: `rotate(-90 12 ${TOP})`, "text-anchor": "end" },
      `← ${map.row_title}`,
    ),
    ...labels(map, layout),
    svg(
      "g",
      { class: "cells" },
      ...hatching(layout),
      ...(boxed ? boxes(map, layout, paint) : [image(map, layout, paint)]),
    ),
    ...borders(map, layout),
    cellFrame({ x: left, y: TOP, width: cellWidth, height: cellHeight }),
  );
  return picture;
}

/** Room for an axis title and its arrow, so that it is whole beside a small matrix. */
function titleLength(title: string): number {
  return (title.length + 2) * 7.2;
}

/** Every label, or every 2nd, 4th … where they would not fit. */
function everyNth(room: number, needed: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, needed / room)));
}

function labels({ rows, columns }: HeatMap, { left, cellWidth, cellHeight }: Layout): Element[] {
  const longest = longestOf(columns) * LETTER;
  const [across, down] = [everyNth(cellWidth, longest + 10), everyNth(cellHeight, 14)];
  const room = columns.length * cellWidth;
  const last = left + room - Math.min(longest, room) / 2;
  return [
    ...columns.flatMap((label, i) => {
      const place = { x: Math.min(left + (i + 0.5) * cellWidth, last), y: TOP - LABEL_GAP };
      return i % across ? [] : [cutText(label, { ...place, room, letter: LETTER }, MIDDLE)];
    }),
    ...rows.flatMap((label, i) => {
      const place = { x: left - LABEL_GAP, y: TOP + (i + 0.5) * cellHeight + 4 };
      return i % down
        ? []
        : [cutText(label, { ...place, room: left - TITLE - LABEL_GAP, letter: LETTER }, END)];
    }),
  ];
}

const MIDDLE = { "text-anchor": "middle" };
const END = { "text-anchor": "end" };

function longestOf(labels: string[]): number {
  return labels.reduce((most, label) => Math.max(most, label.length), 1);
}

function colourOf(cell: Quantity, { scale, ramp }: Paint): Rgb {
  return mix(ramp, scale.position(cell.value));
}

/** Pixels between the lines of a hatching. */
const HATCH = 5;
let hatchings = 0;

/** What lies behind the cells and shows where there is none: no colour would tell that from all of the ramp. */
function hatching({ left, cellWidth, cellHeight, rows, columns }: Layout): Element[] {
  hatchings += 1;
  const id = `hatching-${hatchings}`;
  const line = svg("line", { y2: HATCH, class: "hatch" });
  const shape = { width: HATCH, height: HATCH, patternUnits: "userSpaceOnUse" };
  const place = { x: left, y: TOP, width: columns * cellWidth, height: rows * cellHeight };
  return [
    svg("pattern", { id, ...shape, patternTransform: "rotate(45)" }, line),
    svg("rect", { ...place, fill: `url(#${id})`, class: "absent" }),
  ];
}

function boxes({ cells }: HeatMap, layout: Layout, paint: Paint): Element[] {
  const { left, cellWidth, cellHeight } = layout;
  return cells.flatMap((row, i) =>
    row.flatMap((cell, j) => {
      if (!cell) return [];
      const place = {
        x: left + j * cellWidth,
        y: TOP + i * cellHeight,
        width: cellWidth,
        height: cellHeight,
      };
      const fill = colourOf(cell, paint);
      return [
        svg("rect", { ...place, fill: css(fill), class: "cell" }),
        ...cellLabels(cell, place, fill, paint),
      ];
    }),
  );
}

function cellLabels(
  cell: Quantity,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
  fill: Rgb,
  { ink, card }: Paint,
): Element[] {
  const value = textsOf(cell).find((text) => width >= text.length * 6.6 + 4);
  if (value === undefined || height < 16) return [];
  const { interval } = partsOf(cell);
  const both = interval && height >= 40 && width >= interval.length * 6 + 6;
  const attributes = {
    x: x + width / 2,
    "text-anchor": "middle",
    fill: css(contrast(fill, ink) >= contrast(fill, card) ? ink : card),
    class: "in-cell",
  };
  const middle = y + height / 2 + 4;
  return both
    ? [
        svg("text", { ...attributes, y: middle - 7 }, value),
        svg("text", { ...attributes, y: middle + 9, class: "in-cell minor" }, interval),
      ]
    : [svg("text", { ...attributes, y: middle }, value)];
}

/** With the digits that its interval resolves, then with usual ones: cells of like values are all labelled or none. */
function textsOf(cell: Quantity): string[] {
  const usual = cell.confidence > 0 ? [formatValue(cell.value, cell.unit)] : [];
  return [formatPoint(cell), ...usual];
}

function image(map: HeatMap, layout: Layout, paint: Paint): SVGImageElement {
  const { left, cellWidth, cellHeight, rows, columns } = layout;
  const canvas = el("canvas", { width: columns, height: rows });
  const context = canvas.getContext("2d");
  const pixels = new ImageData(columns, rows);
  map.cells.forEach((row, i) => {
    row.forEach((cell, j) => {
      if (cell) pixels.data.set([...colourOf(cell, paint), 255], 4 * (i * columns + j));
    });
  });
  context?.putImageData(pixels, 0, 0);
  return svg("image", {
    x: left,
    y: TOP,
    width: columns * cellWidth,
    height: rows * cellHeight,
    preserveAspectRatio: "none",
    href: canvas.toDataURL(),
  });
}

/** Lines between parts of fewer pixels would hide what they part. */
const LEAST_PART = 8;

function borders(map: HeatMap, { left, cellWidth, cellHeight, rows, columns }: Layout): Element[] {
  const square = rows === columns;
  if ((columns * cellWidth) / (map.borders.length + 1) < LEAST_PART) return [];
  return map.borders.flatMap((index) => {
    const x = left + index * cellWidth;
    const y = TOP + index * cellHeight;
    const verticalLine = svg("line", { x1: x, x2: x, y1: TOP, y2: TOP + rows * cellHeight, class: "border" });
    const horizontalLine = svg("line", {
      x1: left,
      x2: left + columns * cellWidth,
      y1: y,
      y2: y,
      class: "border",
    });
    return square ? [verticalLine, horizontalLine] : [verticalLine];
  });
}

/** The scale, and what a hatched cell means where there are such. */
function colourBar({ scale, ramp }: Paint, unit: string, absent: string | false): HTMLElement {
  const stops = ramp.map((colour, i) => `${css(colour)} ${(100 * i) / (ramp.length - 1)}%`);
  return el(
    "div",
    { class: "colour-bar" },
    el("span", {}, formatValue(scale.low, unit)),
    el("span", { class: "bar", style: `background: linear-gradient(to right, ${stops.join(", ")})` }),
    el("span", {}, formatValue(scale.high, unit)),
    scale.logarithmic && el("span", { class: "soft" }, "(logarithmic)"),
    absent && el("span", { class: "hatched" }, absent),
  );
}
