// Axes of drawings of our own: lines over the drawing, labels that do not touch, a title below.
import type { DotAxis } from "../../model/figure";
import { formatNumber, formatValue } from "../../model/units";
import { svg } from "../dom";

/** Room below a drawing for labels and title. */
export const AXIS = 44;

/** Where a value lies, in pixels. */
export type Place = (value: number) => number;

interface Marked {
  ticks: number[];
  place: Place;
  /** Top and bottom of the drawing. */
  from: number;
  to: number;
}

export function horizontalAxis(axis: DotAxis, { ticks, place, from, to }: Marked): Element[] {
  return [
    ...ticks.map((tick) => upright(place(tick), from, to, "grid")),
    ...roomy(ticks, axis, place).map((tick) =>
      svg(
        "text",
        { x: place(tick), y: to + 16, "text-anchor": "middle", class: "tick" },
        tickText(tick, axis),
      ),
    ),
  ];
}

export function axisTitle({ title }: DotAxis, x: number, bottom: number): Element {
  return svg("text", { x, y: bottom + 36, "text-anchor": "middle", class: "axis-title" }, title);
}

export function upright(x: number, from: number, to: number, kind: string): Element {
  return svg("line", { x1: x, x2: x, y1: from, y2: to, class: kind });
}

export function level(y: number, from: number, to: number, kind: string): Element {
  return svg("line", { x1: from, x2: to, y1: y, y2: y, class: kind });
}

const TICK_ROOM = 46;
const ROOM_WITH_UNIT = 76;

function isPlain({ unit }: DotAxis): boolean {
  return unit === "ratio" || unit === "";
}

/** Ticks whose labels do not touch the one before. */
function roomy(ticks: number[], axis: DotAxis, place: Place): number[] {
  const room = isPlain(axis) ? TICK_ROOM : ROOM_WITH_UNIT;
  let last = -Infinity;
  return ticks.filter((tick) => {
    const fits = place(tick) - last >= room;
    if (fits) last = place(tick);
    return fits;
  });
}

export function tickText(tick: number, axis: DotAxis): string {
  if (isPlain(axis) || tick === 0) return formatNumber(Number(tick.toPrecision(6)));
  return formatValue(tick, axis.unit);
}
