// Rows of dots and intervals over one axis: names on the left and words on the right where there is room,
// above the row where there is none.
import type { Axis, Lane, Strip, StripChart } from "../../model/figure";
import { ticksOver } from "../../model/ticks";
import { formatNumber, formatValue } from "../../model/units";
import { el, svg } from "../dom";
import { legendOf } from "./legend";
import { drawingWidth, keepDrawn } from "../surroundings";

const WIDE = 760;
const NAME_WIDTH = 255;
const WORDS_WIDTH = 262;
const LANE = 22;
const LINE = 16;
const GAP = 6;
const AXIS = 44;
const EDGE = 10;
/** Where names stand above, the labels of the first and the last tick need room of their own. */
const HALF_LABEL = 34;
const TEXT_WIDTH = 6.3;

interface Layout {
  wide: boolean;
  left: number;
  right: number;
  width: number;
}

/** Where a value lies, in pixels. */
type Place = (value: number) => number;

export function drawStrips(chart: StripChart): HTMLElement {
  const plot = el("div", { class: "plot strips" });
  const host = el("div", {}, chart.legend.length > 0 && legendOf(chart.legend), plot);
  keepDrawn(host, () => {
    plot.replaceChildren(picture(chart, layoutIn(drawingWidth(plot))));
  });
  return host;
}

function layoutIn(width: number): Layout {
  const wide = width >= WIDE;
  return {
    wide,
    width,
    left: wide ? NAME_WIDTH : EDGE,
    right: width - (wide ? WORDS_WIDTH : EDGE),
  };
}

function picture(chart: StripChart, layout: Layout): SVGElement {
  const ticks = ticksOf(chart, layout);
  const place = placeOn(chart.x, ticks, layout);
  let top = 4;
  const rows = chart.strips.map((strip) => {
    const row = rowOf(strip, top, layout, place);
    top += heightOf(strip, layout);
    return row;
  });
  return svg(
    "svg",
    {
      viewBox: `0 0 ${layout.width} ${top + AXIS}`,
      width: layout.width,
      height: top + AXIS,
      role: "img",
      "aria-label": spoken(chart),
    },
    ...axisOf(chart, ticks, top, place, layout),
    ...rows,
  );
}

function spoken({ strips }: StripChart): string {
  return strips.map(({ name, lanes }) => `${name}: ${lanes.map(({ told }) => told).join(", ")}`).join("; ");
}

function heightOf({ lanes }: Strip, { wide }: Layout): number {
  return wide ? lanes.length * LANE + GAP : lanes.length * (LANE + LINE) + LINE + GAP;
}

// ---- axis ----

function ticksOf({ x, strips, marks }: StripChart, { left, right }: Layout): number[] {
  const all = [...marks, ...strips.flatMap(({ lanes }) => lanes.flatMap(extentOf))].filter(Number.isFinite);
  const most = Math.max(3, Math.min(9, Math.floor((right - left) / 80)));
  const scale = x.scale === "linear" ? "linear" : "log10";
  return ticksOver(Math.min(...all), Math.max(...all), { scale, close: x.close ?? false, most });
}

function extentOf({ low, high, value, dots }: Lane): number[] {
  return [low, high, value, ...dots];
}

function placeOn({ scale }: Axis, ticks: number[], { left, right, wide }: Layout): Place {
  const edge = wide ? EDGE : HALF_LABEL;
  const at = scale === "linear" ? (value: number) => value : Math.log;
  const [first, last] = [at(ticks[0] ?? 0), at(ticks.at(-1) ?? 1)];
  const inner = right - left - 2 * edge;
  return (value) => left + edge + (last > first ? (at(value) - first) / (last - first) : 0.5) * inner;
}

function axisOf(
  { x, marks }: StripChart,
  ticks: number[],
  bottom: number,
  place: Place,
  { left, right }: Layout,
): Element[] {
  const line = (value: number, kind: string) =>
    svg("line", { x1: place(value), x2: place(value), y1: 0, y2: bottom, class: kind });
  return [
    ...ticks.map((tick) => line(tick, "grid")),
    ...marks.map((mark) => line(mark, "reference")),
    ...roomy(ticks, x, place).map((tick) =>
      svg(
        "text",
        { x: place(tick), y: bottom + 16, "text-anchor": "middle", class: "tick" },
        tickText(tick, x),
      ),
    ),
    svg(
      "text",
      { x: (left + right) / 2, y: bottom + 36, "text-anchor": "middle", class: "axis-title" },
      x.title,
    ),
  ];
}

const TICK_ROOM = 46;
const ROOM_WITH_UNIT = 76;

/** Ticks whose labels do not touch the one before. */
function roomy(ticks: number[], { unit }: Axis, place: Place): number[] {
  const room = unit === "ratio" || unit === "" ? TICK_ROOM : ROOM_WITH_UNIT;
  let last = -Infinity;
  return ticks.filter((tick) => {
    const fits = place(tick) - last >= room;
    if (fits) last = place(tick);
    return fits;
  });
}

function tickText(tick: number, { unit }: Axis): string {
  if (unit === "ratio" || unit === "") return formatNumber(Number(tick.toPrecision(6)));
  return formatValue(tick, unit);
}

// ---- rows ----

function rowOf({ name, lanes }: Strip, top: number, layout: Layout, place: Place): Element {
  const { wide, width, left } = layout;
  const nameRoom = wide ? left - EDGE : width;
  const nameTop = wide ? top + LANE / 2 + 4 : top + LINE - 4;
  const parts = lanes.flatMap((lane, i) => laneOf(lane, laneTop(i, top, layout), layout, place));
  return svg("g", {}, textOf(name, 0, nameTop, nameRoom, "name"), ...parts);
}

function laneTop(index: number, top: number, { wide }: Layout): number {
  return wide ? top + index * LANE : top + LINE + index * (LANE + LINE);
}

function laneOf(lane: Lane, top: number, { wide, width, right }: Layout, place: Place): Element[] {
  const words = wide
    ? textOf(lane.told, right + EDGE, top + LANE / 2 + 4, width - right - EDGE, "words")
    : textOf(lane.told, 0, top + LINE - 5, width, "words");
  const middle = wide ? top + LANE / 2 : top + LINE + LANE / 2 - 2;
  return [words, shapesOf(lane, middle, place)];
}

function shapesOf({ low, high, value, dots, tone, told }: Lane, y: number, place: Place): Element {
  const bar =
    high > low && svg("line", { x1: place(low), x2: place(high), y1: y, y2: y, class: "interval-bar" });
  const shown = dots.length > 0 ? dots : [value];
  const size = dots.length > 0 ? 3.4 : 4.6;
  return svg(
    "g",
    { class: `lane ink-${tone % 7}` },
    svg("title", {}, told),
    bar,
    ...shown.map((dot) => svg("circle", { cx: place(dot), cy: y, r: size })),
  );
}

/** Text that is cut where it has no room; all of it in its title. */
function textOf(text: string, x: number, y: number, room: number, kind: string): Element {
  const most = Math.floor(room / TEXT_WIDTH);
  const cut = text.length > most ? `${text.slice(0, most - 1)}…` : text;
  return svg("text", { x, y, class: kind }, svg("title", {}, text), cut);
}
