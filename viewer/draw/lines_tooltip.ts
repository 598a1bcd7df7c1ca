// What a line chart shows of the place under the pointer.
import type { Axis, LineChart, Point, Series } from "../base/payload";
import type { Box } from "../base/labels";
import { formatQuantity, formatValue } from "../base/units";
import { el, svg } from "./dom";

/** A series with the places of its points, in pixels. */
export interface Plotted {
  series: Series;
  points: PlottedPoint[];
  heightOf: (value: number) => number;
}

interface PlottedPoint {
  point: Point;
  x: number;
  y: number;
}

interface TooltipPoint {
  series: Series;
  at: PlottedPoint;
}

const BESIDE = 14;

/** Follows the pointer over `drawing`; the tooltip is to lie beside it. */
export function showAtPointer(
  drawing: SVGSVGElement,
  plotted: Plotted[],
  chart: LineChart,
  room: Box,
): Element[] {
  const tooltip = el("div", { class: "tooltip", role: "status", hidden: true });
  const cursor = svg("line", { y1: room.y, y2: room.y + room.height, class: "cursor", visibility: "hidden" });
  drawing.append(cursor);
  const show = (event: PointerEvent) => {
    const place = placeIn(drawing, event);
    const shown = pointsAt(place, plotted);
    const [first] = shown;
    if (!first) return;
    cursor.setAttribute("x1", String(first.at.x));
    cursor.setAttribute("x2", String(first.at.x));
    cursor.setAttribute("visibility", "visible");
    tooltip.replaceChildren(...linesOf(shown, chart));
    tooltip.hidden = false;
    moveBeside(tooltip, place.x, room);
  };
  drawing.addEventListener("pointermove", show);
  drawing.addEventListener("pointerdown", show);
  drawing.addEventListener("pointerleave", () => {
    tooltip.hidden = true;
    cursor.setAttribute("visibility", "hidden");
  });
  return [tooltip];
}

function placeIn(drawing: SVGSVGElement, { clientX, clientY }: PointerEvent): { x: number; y: number } {
  const { left, top, width } = drawing.getBoundingClientRect();
  const scale = drawing.viewBox.baseVal.width / width;
  return { x: (clientX - left) * scale, y: (clientY - top) * scale };
}

/** All series where they share their places, else the one point that is nearest. */
function pointsAt(place: { x: number; y: number }, plotted: Plotted[]): TooltipPoint[] {
  const all = plotted.flatMap(({ series, points }) => points.map((at) => ({ series, at })));
  const shared = sharePlaces(plotted);
  const distance = ({ at }: TooltipPoint) => Math.hypot(at.x - place.x, shared ? 0 : at.y - place.y);
  const nearest = all.reduce<TooltipPoint | null>(
    (best, one) => (best === null || distance(one) < distance(best) ? one : best),
    null,
  );
  if (!nearest) return [];
  return shared ? all.filter(({ at }) => at.x === nearest.at.x) : [nearest];
}

/** Whether no series has a place that the longest has not. */
function sharePlaces(plotted: Plotted[]): boolean {
  const [longest, ...others] = plotted
    .map(({ points }) => new Set(points.map(({ x }) => x)))
    .sort((a, b) => b.size - a.size);
  return others.every((places) => [...places].every((x) => longest?.has(x)));
}

function linesOf(shown: TooltipPoint[], { x, y }: LineChart): Element[] {
  const at = shown[0]?.at.point.x ?? 0;
  return [
    el("strong", {}, x.unit === "" ? `${at} ${x.title}` : formatValue(at, x.unit)),
    ...shown.map(({ series, at: { point } }) => lineOf(series, point, y)),
  ];
}

function lineOf({ name, upper }: Series, point: Point, { unit }: Axis): HTMLElement {
  const more = point.note ? ` · ${point.note}` : "";
  const [value, bound] = valueTexts(point, upper, unit);
  return el("div", {}, `${name}: `, el("b", {}, value), bound, more);
}

/** With an interval to the digits that it resolves; with what else the upper bound is beside the value. */
function valueTexts({ y, low, high }: Point, upper: string, unit: string): [value: string, bound: string] {
  if (low === null || high === null) return [formatValue(y, unit), ""];
  if (upper) return [formatValue(y, unit), ` (${upper} ${formatValue(high, unit)})`];
  const plain = { unit, confidence: 1, method: "", samples: null, os_value: null, agrees: null };
  return [formatQuantity({ value: y, low, high, ...plain }), ""];
}

/** On the side of the pointer that has more room. */
function moveBeside(tooltip: HTMLElement, x: number, { x: left, width }: Box): void {
  const isRight = x > left + width / 2;
  const place = isRight ? x - BESIDE - tooltip.offsetWidth : x + BESIDE;
  tooltip.style.left = `${Math.max(0, place)}px`;
}
