// Axes of drawings: lines over the drawing, labels that do not touch, a title below.
import { type AxisLayout, tickLabels } from "../base/axis";
import type { Axis, DotAxis } from "../base/payload";
import type { Box } from "../base/labels";
import { svg } from "./dom";
import { cutText } from "./text";

/** Room below a drawing for labels and title. */
export const AXIS = 44;

/** Where a value lies, in pixels. */
export type PixelScale = (value: number) => number;

/** An axis with its marks and the places of values, in pixels. */
export interface PixelAxis {
  axis: Axis | DotAxis;
  ticks: number[];
  place: PixelScale;
}

export function pixelAxis(
  axis: Axis | DotAxis,
  { ticks, share }: AxisLayout,
  from: number,
  to: number,
): PixelAxis {
  return { axis, ticks, place: (value) => from + share(value) * (to - from) };
}

/** Of a letter in a title: those that are still too long are cut in the page. */
const TITLE_LETTER = 5;

/** Lines at the ticks of `x` with labels below `room`. */
export function horizontalAxis({ axis, ticks, place }: PixelAxis, room: Box): Element[] {
  const bottom = room.y + room.height;
  const text = tickLabels(ticks, axis);
  // Ratios are read from one, not from zero.
  const title = isBroken(axis, ticks) && axis.unit !== "ratio" ? `${axis.title}, not from zero` : axis.title;
  return [
    ...ticks.map((tick) => verticalLine(place(tick), room.y, bottom, "grid")),
    ...thinnedTicks(ticks, text, place).map((tick) => {
      const most = room.x + room.width + OVERHANG - halfOf(text(tick));
      return label(text(tick), Math.min(place(tick), most), bottom + 16, "middle");
    }),
    cutText(
      title,
      { x: room.x + room.width / 2, y: bottom + 36, room: room.width + OVERHANG, letter: TITLE_LETTER },
      { "text-anchor": "middle", class: "axis-title" },
    ),
  ];
}

/** Room above a drawing for the title of its vertical axis. */
export const UP_TITLE = 28;

/** Lines at the ticks of `y` with labels left of `room`, the title at the top. */
export function verticalAxis({ axis, ticks, place }: PixelAxis, room: Box): Element[] {
  const text = tickLabels(ticks, axis);
  return [
    cutText(
      `↑ ${axis.title}`,
      { x: 0, y: 13, room: room.x + room.width, letter: TITLE_LETTER },
      { class: "axis-title" },
    ),
    ...ticks.flatMap((tick) => [
      horizontalLine(place(tick), room.x, room.x + room.width, "grid"),
      label(text(tick), room.x - LABEL_GAP, place(tick) + 4, "end"),
    ]),
    ...(isBroken(axis, ticks) ? [breakMark(room)] : []),
  ];
}

/** Whether an axis leaves out what lies between zero and its first mark. */
function isBroken({ close, scale }: Axis | DotAxis, ticks: number[]): boolean {
  return close && scale === "linear" && (ticks[0] ?? 0) > 0;
}

/** The usual sign at the foot of an axis that does not begin at zero. */
function breakMark({ x, y, height }: Box): Element {
  const foot = y + height;
  const turns = `M${x},${foot - 16}v4l-4,2l8,4l-4,2v4`;
  return svg("path", { d: turns, class: "axis-break" });
}

const LABEL_GAP = 8;
/** Of a letter in a label: wide, as those of units are. */
const TEXT_WIDTH = 7.3;

/** The width that the labels of a vertical axis need. */
export function labelRoom({ ticks }: AxisLayout, axis: Axis | DotAxis): number {
  const text = tickLabels(ticks, axis);
  return LABEL_GAP + Math.max(...ticks.map((tick) => text(tick).length)) * TEXT_WIDTH;
}

function label(text: string, x: number, y: number, anchor: string): Element {
  return svg("text", { x, y, "text-anchor": anchor, class: "tick" }, text);
}

export function verticalLine(x: number, from: number, to: number, kind: string): Element {
  return svg("line", { x1: x, x2: x, y1: from, y2: to, class: kind });
}

export function horizontalLine(y: number, from: number, to: number, kind: string): Element {
  return svg("line", { x1: from, x2: to, y1: y, y2: y, class: kind });
}

const BETWEEN_LABELS = 14;
/** How far the last label may reach beyond its axis: room for that belongs beside it. */
export const OVERHANG = 20;

function halfOf(text: string): number {
  return (text.length * TEXT_WIDTH) / 2;
}

/** Ticks whose labels do not touch the one before. */
function thinnedTicks(ticks: number[], text: (tick: number) => string, place: PixelScale): number[] {
  let last = -Infinity;
  return ticks.filter((tick) => {
    const half = halfOf(text(tick));
    const fits = place(tick) - half >= last + BETWEEN_LABELS;
    if (fits) last = place(tick) + half;
    return fits;
  });
}
