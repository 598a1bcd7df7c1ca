// Rows of dots and intervals over one axis: names on the left and words on the right where there is room,
// above the row where there is none.
import { layoutAxis } from "../base/axis";
import type { Lane, Strip, StripChart } from "../base/payload";
import { drawing, el, svg } from "./dom";
import {
  type PixelAxis,
  pixelAxis,
  AXIS,
  horizontalAxis,
  horizontalLine,
  type PixelScale,
  verticalLine,
} from "./axis";
import { legendOf } from "./legend";
import { redrawOnChange } from "./redraw";
import { cutText, roomFor } from "./text";
import { registerDrawing } from "./registry";

registerDrawing<StripChart>("strips", drawStrips);

const WIDE = 760;
const NAME_WIDTH = 255;
/** Share of the width that long names may take. */
const MOST_NAME = 1 / 3;
const WORDS_WIDTH = 262;
const LANE = 22;
const LINE = 16;
const GAP = 6;
const EDGE = 10;
/** Where names stand above, the labels of the first and the last tick need room of their own. */
const HALF_LABEL = 34;
const TEXT_WIDTH = 6.3;
/** Of a letter in a name that is to stand on one line. */
const WIDE_LETTER = 7;
/** From one line of a name to the next: two fit beside one lane. */
const NAME_LINE = 13;
const FONT = 12.5;
const DOT = 3.4;
const MARK = 8;
const OFFSETS = [0, -5, 5];

interface Layout {
  wide: boolean;
  left: number;
  right: number;
  width: number;
  bars: boolean;
}

function drawStrips(chart: StripChart): HTMLElement {
  const plot = el("div", { class: "plot strips" });
  redrawOnChange(plot, (width) => {
    plot.replaceChildren(picture(chart, layoutIn(width, chart)));
  });
  return el("div", {}, chart.legend.length > 0 && legendOf(chart.legend), plot);
}

function layoutIn(width: number, { bars, strips }: StripChart): Layout {
  const wide = width >= WIDE;
  const longest = roomFor(Math.max(...strips.map(({ name }) => name.length), 0), FONT) + EDGE;
  return {
    wide,
    width,
    left: wide ? Math.max(NAME_WIDTH, Math.min(longest, MOST_NAME * width)) : EDGE,
    right: width - (wide ? WORDS_WIDTH : EDGE),
    bars,
  };
}

function picture(chart: StripChart, layout: Layout): SVGElement {
  const x = axisIn(chart, layout);
  let top = 4;
  const rows = chart.strips.map((strip) => {
    const row = rowOf(strip, top, layout, x.place);
    top += heightOf(strip, layout);
    return row;
  });
  return drawing(
    { width: layout.width, height: top + AXIS, label: accessibleLabel(chart) },
    ...horizontalAxis(x, { x: layout.left, y: 0, width: layout.right - layout.left, height: top }),
    ...chart.marks.map((mark) => verticalLine(x.place(mark), 0, top, "reference")),
    ...rows,
  );
}

function accessibleLabel({ strips }: StripChart): string {
  return strips.map(({ name, lanes }) => `${name}: ${lanes.map(({ text }) => text).join(", ")}`).join("; ");
}

/** A strip of which nothing is known has room for its name. */
function heightOf({ lanes }: Strip, { wide }: Layout): number {
  const most = Math.max(1, lanes.length);
  return wide ? most * LANE + GAP : most * (LANE + LINE) + LINE + GAP;
}

// ---- axis ----

function axisIn({ x, strips, marks, bars }: StripChart, { left, right, wide }: Layout): PixelAxis {
  const all = [...marks, ...strips.flatMap(({ lanes }) => lanes.flatMap(extentOf)), ...(bars ? [0] : [])];
  const edge = wide ? EDGE : HALF_LABEL;
  const laid = layoutAxis(all, x, Math.max(3, Math.min(9, Math.floor((right - left) / 80))));
  return pixelAxis(x, laid, left + edge, right - edge);
}

function extentOf({ low, high, value, dots }: Lane): number[] {
  return [low, high, value, ...dots];
}

// ---- rows ----

function rowOf({ name, lanes }: Strip, top: number, layout: Layout, place: PixelScale): Element {
  const { wide, width, left } = layout;
  const nameRoom = wide ? left - EDGE : width;
  const nameTop = wide ? top + LANE / 2 + 4 : top + LINE - 4;
  const parts = lanes.flatMap((lane, i) => laneOf(lane, laneTop(i, top, layout), layout, place));
  return svg("g", {}, ...nameOf(name, nameTop, nameRoom, layout), ...parts);
}

function laneTop(index: number, top: number, { wide }: Layout): number {
  return wide ? top + index * LANE : top + LINE + index * (LANE + LINE);
}

function laneOf(lane: Lane, top: number, { wide, width, right, bars }: Layout, place: PixelScale): Element[] {
  const words = wide
    ? textOf(lane.text, right + EDGE, top + LANE / 2 + 4, width - right - EDGE, "words")
    : textOf(lane.text, 0, top + LINE - 5, width, "words");
  const middle = wide ? top + LANE / 2 : top + LINE + LANE / 2 - 2;
  return [words, shapesOf(lane, middle, place, bars)];
}

function shapesOf(
  { low, high, value, dots, tone, text }: Lane,
  y: number,
  place: PixelScale,
  bars: boolean,
): Element {
  return svg(
    "g",
    { class: `lane ink-${tone % 7}` },
    svg("title", {}, text),
    bars && horizontalLine(y, place(0), place(value), "value-bar"),
    high > low && horizontalLine(y, place(low), place(high), "interval-bar"),
    ...(dots.length > 0 ? sampled(dots.map(place), place(value), y) : [dot(place(value), y, 4.6)]),
  );
}

/** The samples, those that would hide each other apart, and a mark at the value that they led to. */
function sampled(places: number[], value: number, y: number): Element[] {
  const mark = verticalLine(value, y - MARK, y + MARK, "value-mark");
  return [...places.map((x, i) => dot(x, y + offsetAmong(places.slice(0, i), x), DOT)), mark];
}

function offsetAmong(before: number[], x: number): number {
  const hidden = before.filter((other) => Math.abs(other - x) < DOT).length;
  return OFFSETS[hidden % OFFSETS.length] ?? 0;
}

function dot(cx: number, cy: number, r: number): Element {
  return svg("circle", { cx, cy, r });
}

/** Names such as `effective_bandwidth.ping_pong_latency_min.mpi` differ near their end: two lines show them whole. */
function nameOf(name: string, y: number, room: number, { wide }: Layout): Element[] {
  const lines = wide ? inTwoLines(name, Math.floor(room / WIDE_LETTER)) : [name];
  const top = y - ((lines.length - 1) * NAME_LINE) / 2;
  return lines.map((line, i) =>
    cutText(
      line,
      { x: 0, y: top + i * NAME_LINE, room, letter: TEXT_WIDTH, cut: "within" },
      { class: "name" },
    ),
  );
}

/** Text of more than `most` letters, broken behind the last mark or blank of the first line. */
function inTwoLines(text: string, most: number): string[] {
  if (text.length <= most) return [text];
  const start = text.slice(0, most);
  const first = /^.*[.,_ -]/.exec(start)?.[0] ?? start;
  return [first.trimEnd(), text.slice(first.length)];
}

function textOf(text: string, x: number, y: number, room: number, kind: string): Element {
  return cutText(text, { x, y, room, letter: TEXT_WIDTH }, { class: kind });
}
