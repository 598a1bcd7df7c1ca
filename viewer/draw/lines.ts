// Line charts: curves with bands or bars for their spread, marked ranges, a legend that hides, a tooltip.
import { layoutLineAxis } from "../base/axis";
import type { LineChart, Point, Series, XRange } from "../base/payload";
import { type Box, firstFree, heightWithin, type Span } from "../base/labels";
import { drawing, el, svg } from "./dom";
import { redrawOnChange } from "./redraw";
import {
  type PixelAxis,
  pixelAxis,
  AXIS,
  horizontalAxis,
  labelRoom,
  horizontalLine,
  UP_TITLE,
  verticalLine,
  verticalAxis,
} from "./axis";
import { type Plotted, showAtPointer } from "./lines_tooltip";
import { registerDrawing } from "./registry";
import { cutText, roomFor } from "./text";

registerDrawing<LineChart>("lines", drawLines);

const NARROW = 560;
const MAX_POINTS_WITH_SYMBOLS = 24;
const RANGE_TITLES = 20;
const EDGE = 24;
const FONT = 11.5;

interface Layout {
  width: number;
  height: number;
  room: Box;
  x: PixelAxis;
  y: PixelAxis;
}

/** The chart with a legend whose entries hide and show their series. */
function drawLines(chart: LineChart): HTMLElement {
  const hidden = new Set(chart.series.flatMap(({ shown }, i) => (shown ? [] : [i])));
  const plot = el("div", { class: "plot lines" });
  const redraw = redrawOnChange(plot, (width) => {
    plot.replaceChildren(...pictureOf(chart, hidden, width));
  });
  return el("div", {}, chart.series.length > 1 && legendOf(chart, hidden, redraw), plot);
}

function legendOf(chart: LineChart, hidden: Set<number>, redraw: () => void): HTMLElement {
  const entries = chart.series.map((series, i) => {
    const mark = el("span", { class: `mark tone-${series.tone % 7}${series.dashed ? " dashed" : ""}` });
    const entry = el("button", { type: "button", "aria-pressed": String(series.shown) }, mark, series.name);
    entry.addEventListener("click", () => {
      if (!hidden.delete(i)) hidden.add(i);
      entry.setAttribute("aria-pressed", String(!hidden.has(i)));
      redraw();
    });
    return entry;
  });
  return el("div", { class: "legend", role: "group", "aria-label": "Series shown" }, ...entries);
}

/** Hidden series keep their room, so that nothing moves when they are hidden. */
function layoutOf({ x, y, series, ranges }: LineChart, width: number): Layout {
  const points = series.flatMap((one) => one.points);
  const height = Math.round(Math.min(440, Math.max(280, width * 0.48)));
  const up = layoutLineAxis(
    points.flatMap((point) => [point.y, point.low ?? point.y, point.high ?? point.y]),
    y,
    6,
  );
  const left = labelRoom(up, y);
  const top = UP_TITLE + (ranges.length > 0 ? RANGE_TITLES : 0);
  const room = { x: left, y: top, width: width - left - EDGE, height: height - top - AXIS };
  const across = layoutLineAxis(
    points.map((point) => point.x),
    x,
    width < NARROW ? 5 : 11,
  );
  return {
    ...{ width, height, room },
    x: pixelAxis(x, across, room.x, room.x + room.width),
    y: pixelAxis(y, up, room.y + room.height, room.y),
  };
}

function pictureOf(chart: LineChart, hidden: Set<number>, width: number): Element[] {
  const layout = layoutOf(chart, width);
  const { height, room, x, y } = layout;
  const plotted = chart.series.map((series) => plottedIn(series, layout)).filter((_, i) => !hidden.has(i));
  const ranges = rangesIn(chart.ranges, layout);
  const areas = areasOf(ranges, layout);
  const picture = drawing(
    { width, height, label: accessibleLabel(chart) },
    ...areas.map(areaOf(room)),
    ...verticalAxis(y, room),
    ...horizontalAxis(x, room),
    ...plotted.map((one) => curveOf(one, chart.series.indexOf(one.series))),
    ...pointLabels(plotted, room),
    ...rangeTitles(areas, ranges, layout, plotted),
  );
  return [picture, ...showAtPointer(picture, plotted, chart, room)];
}

function accessibleLabel({ series, x, y }: LineChart): string {
  const names = series.map(({ name, points }) => `${name}, ${points.length} points`);
  return `${[y.title, x.title].filter(Boolean).join(" over ")}: ${names.join("; ")}`;
}

/** Points that have a place, with it. */
function plottedIn(series: Series, { x, y }: Layout): Plotted {
  const points = series.points
    .map((point) => ({ point, x: x.place(point.x), y: y.place(point.y) }))
    .filter((one) => Number.isFinite(one.x) && Number.isFinite(one.y));
  return { series, points, heightOf: y.place };
}

// ---- ranges ----

interface Area {
  name: string;
  from: number;
  to: number;
}

/** Of the ranges only those that the axis reaches. */
function rangesIn(ranges: XRange[], { room, x }: Layout): XRange[] {
  return ranges.filter(({ low, high }) => x.place(high) >= room.x && x.place(low) <= room.x + room.width);
}

function areasOf(ranges: XRange[], { room, x }: Layout): Area[] {
  return ranges
    .filter(({ low, high }) => high > low)
    .map(({ name, low, high }) => {
      const [from, to] = within(x.place(low), x.place(high), room);
      return { name, from, to: Math.max(from + 1, to) };
    });
}

function areaOf({ y, height }: Box): (area: Area, index: number) => Element {
  return ({ from, to }, i) =>
    svg("rect", { x: from, y, width: to - from, height, class: `range level-${Math.min(i, 2)}` });
}

function within(low: number, high: number, room: Box): [number, number] {
  return [Math.max(low, room.x), Math.min(high, room.x + room.width)];
}

/** Of a letter in a title. */
const LETTER = 6.6;

/** Those of areas above them, those of marks where there is no area; along them where they would touch each other. */
function rangeTitles(areas: Area[], ranges: XRange[], { room, x }: Layout, plotted: Plotted[]): Element[] {
  const marks = ranges
    .filter(({ low, high }) => high <= low)
    .map((one) => ({ ...one, from: x.place(one.low), to: x.place(one.low) }));
  const [first, others] = areas.length > 0 ? [areas, marks] : [marks, []];
  const above = titlesAbove(first, room);
  const along = [...(above ? [] : first), ...others].map(({ name, to }) => ({ name, at: to }));
  return [
    ...(above ?? []),
    ...marks.map(({ to, kind }) => verticalLine(to, room.y, room.y + room.height, `range-mark ${kind}`)),
    ...titlesAlong(along, room, plotted),
  ];
}

/** Null where they would touch each other. */
function titlesAbove(areas: Area[], room: Box): Element[] | null {
  const most = room.width + EDGE;
  const placed = areas
    .map(({ name, from, to }) => {
      const width = Math.min(roomFor(name.length, FONT), most);
      return { name, middle: (from + to) / 2, half: width / 2 };
    })
    .sort((a, b) => a.middle - b.middle);
  const touching = placed.some(({ middle, half }, i) => {
    const next = placed[i + 1];
    return next !== undefined && middle + half > next.middle - next.half;
  });
  if (touching) return null;
  return placed.map(({ name, middle, half }) => {
    const at = Math.max(half, Math.min(middle, room.x + room.width + EDGE - half));
    return cutText(
      name,
      { x: at, y: room.y - 6, room: most, letter: LETTER },
      { class: "range-title", "text-anchor": "middle" },
    );
  });
}

/** Between two titles that follow each other along one line. */
const TITLE_GAP = 8;

interface Line {
  name: string;
  at: number;
}

/**
 * Beside vertical lines, read from below, where no curve is if there is such a place; of lines that are close, one
 * below the other.
 */
function titlesAlong(lines: Line[], room: Box, plotted: Plotted[]): Element[] {
  const placed: (Span & { x: number })[] = [];
  const whole = { from: room.y + 8, to: room.y + room.height };
  return [...lines]
    .sort((a, b) => a.at - b.at)
    .flatMap(({ name, at }) => {
      const length = name.length * LETTER;
      const places = sidesOf(at, lines, room).map(({ x, across }) => {
        const close = placed.filter((one) => Math.abs(one.x - x) < LABEL_HEIGHT);
        const free = firstFree(length, whole, [...close, ...curvesWithin(plotted, across)]);
        return { x, free, below: Math.max(whole.from, ...close.map(({ to }) => to)) };
      });
      const place = places.find((one) => one.free !== null) ?? places[0];
      const top = place?.free ?? place?.below ?? whole.to;
      const left = whole.to - top;
      if (!place || left < LABEL_HEIGHT) return [];
      const { x } = place;
      placed.push({ x, from: top - TITLE_GAP, to: top + length + TITLE_GAP });
      const turned = { transform: `rotate(-90 ${x} ${top})`, "text-anchor": "end" };
      return [cutText(name, { x, y: top, room: left, letter: LETTER }, { ...turned, class: "range-title" })];
    });
}

/** From a line to the title along it. */
const BESIDE_LINE = 5;

interface Side {
  /** Where letters stand that are read from below. */
  x: number;
  across: Span;
}

/** Left of a line; right of it too where neither the next line nor the end of the drawing is in the way. */
function sidesOf(at: number, lines: Line[], room: Box): Side[] {
  const reach = BESIDE_LINE + LABEL_HEIGHT;
  const left = { x: at - BESIDE_LINE, across: { from: at - reach, to: at } };
  const right = { x: at + reach - 3, across: { from: at, to: at + reach } };
  const end = Math.min(room.x + room.width + EDGE, ...lines.map((one) => one.at).filter((one) => one > at));
  return right.across.to <= end ? [left, right] : [left];
}

/** From the middle of a curve to what it does not touch. */
const BESIDE_CURVE = 5;

/** The heights of curves with their spread, between two places on the horizontal axis. */
function curvesWithin(plotted: Plotted[], across: Span): Span[] {
  return plotted.flatMap(({ points, heightOf }) => {
    const outlines = (["y", "low", "high"] as const).map((bound) =>
      points.map(({ x, point }) => ({ x, y: heightOf(point[bound] ?? point.y) })),
    );
    const heights = outlines.flatMap((outline) => heightWithin(outline, across) ?? []);
    return heights.map(({ from, to }) => ({ from: from - BESIDE_CURVE, to: to + BESIDE_CURVE }));
  });
}

// ---- labels of points ----

const LABEL_ABOVE = 9;
const LABEL_HEIGHT = 13;

/** Beside points that have a label: of those that would cover each other, the first and every last stay. */
function pointLabels(plotted: Plotted[], room: Box): Element[] {
  const wanted = plotted.flatMap(({ points }) =>
    points.flatMap(({ point, x, y }) =>
      point.label ? [{ text: point.label, ...labelBox(point.label, x, y, room) }] : [],
    ),
  );
  const placed: typeof wanted = [];
  for (const one of [...wanted.slice(0, 1), ...wanted.slice(-1), ...wanted.slice(1, -1)]) {
    if (!placed.some((other) => overlap(one, other))) placed.push(one);
  }
  return placed.map(({ text, x, y, width }) =>
    cutText(
      text,
      { x: x + width / 2, y: y + LABEL_HEIGHT - 3, room: room.width, letter: LETTER },
      { class: "point-label", "text-anchor": "middle" },
    ),
  );
}

/** Pixels from the left that the title of the verticalLine axis takes above the plot. */
const UP_TITLE_WIDTH = 190;

/** Above the point, where the title of the axis is not, else below. */
function labelBox(text: string, x: number, y: number, room: Box): Box {
  const width = Math.min(text.length * LETTER, room.width);
  const left = Math.min(Math.max(x - width / 2, room.x + 2), room.x + room.width + EDGE - width);
  const above = y - LABEL_ABOVE - LABEL_HEIGHT;
  return {
    x: left,
    y: above < (left > UP_TITLE_WIDTH ? room.y - LABEL_HEIGHT : room.y) ? y + LABEL_ABOVE : above,
    width,
    height: LABEL_HEIGHT,
  };
}

function overlap(one: Box, other: Box): boolean {
  const apart =
    Math.abs(one.x + one.width / 2 - other.x - other.width / 2) >= (one.width + other.width) / 2 + 2;
  return !apart && Math.abs(one.y - other.y) < LABEL_HEIGHT;
}

// ---- curves ----

function curveOf(plotted: Plotted, index: number): Element {
  const { series, points } = plotted;
  const symbols = points.length <= MAX_POINTS_WITH_SYMBOLS || !series.joined ? points : [];
  const hollow = index % SYMBOLS.length >= SOLID;
  return svg(
    "g",
    { class: `lane ink-${series.tone % 7}` },
    ...spreadOf(plotted),
    series.joined && svg("path", { d: pathOf(points), class: series.dashed ? "curve dashed" : "curve" }),
    ...symbols.map(({ x, y }) =>
      svg("path", {
        d: SYMBOLS[index % SYMBOLS.length],
        transform: `translate(${x} ${y})`,
        class: hollow ? "symbol hollow" : "symbol",
      }),
    ),
  );
}

const CIRCLE = "M-3.5,0a3.5,3.5 0 1,0 7,0a3.5,3.5 0 1,0 -7,0z";
const SQUARE = "M-3.2,-3.2h6.4v6.4h-6.4z";
const TRIANGLE = "M0,-4.2l4,7h-8z";
const DIAMOND = "M0,-4.6l4.6,4.6l-4.6,4.6l-4.6,-4.6z";
const SYMBOLS = [CIRCLE, SQUARE, TRIANGLE, DIAMOND, CIRCLE, SQUARE, TRIANGLE];
const SOLID = 4;

function pathOf(points: { x: number; y: number }[]): string {
  return points.map(({ x, y }, i) => `${i === 0 ? "M" : "L"}${short(x)},${short(y)}`).join("");
}

function short(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

function spreadOf({ series, points, heightOf }: Plotted): Element[] {
  const bounded = points.flatMap(({ point, x }) => {
    const bounds = boundsOf(point);
    return bounds ? [{ x, low: heightOf(bounds.low), high: heightOf(bounds.high) }] : [];
  });
  if (series.spread === "none" || bounded.length === 0) return [];
  if (series.spread === "bars") return bounded.flatMap(errorBar);
  const upper = bounded.map(({ x, high }) => ({ x, y: high }));
  const lower = bounded.map(({ x, low }) => ({ x, y: low })).reverse();
  return [svg("path", { d: `${pathOf([...upper, ...lower])}z`, class: "band" })];
}

function boundsOf({ low, high }: Point): { low: number; high: number } | null {
  return low === null || high === null ? null : { low, high };
}

function errorBar({ x, low, high }: { x: number; low: number; high: number }): Element[] {
  return [
    verticalLine(x, high, low, "error"),
    horizontalLine(high, x - 4, x + 4, "error"),
    horizontalLine(low, x - 4, x + 4, "error"),
  ];
}
