// Labelled points over two axes, with lines for the intervals of both.
import { layoutAxis } from "../../base/axis";
import type { BoundedValue, ScatterChart, ScatterPoint } from "../../base/payload";
import { type Box, labelled } from "../../base/labels";
import { drawing, el, svg } from "../../draw/dom";
import { redrawOnChange } from "../../draw/redraw";
import {
  type PixelAxis,
  pixelAxis,
  AXIS,
  horizontalAxis,
  labelRoom,
  horizontalLine,
  verticalLine,
  verticalAxis,
} from "../../draw/axis";
import { registerDrawing } from "../../draw/registry";
import { cutText } from "../../draw/text";

registerDrawing<ScatterChart>("scatter", drawScatter);

const HEIGHT = 330;
const TOP = 30;
const EDGE = 16;
const TEXT_WIDTH = 6.9;
const RADIUS = 6;
/** Share of the width that a name may take. */
const MOST_NAME = 0.4;

interface Layout {
  room: Box;
  x: PixelAxis;
  y: PixelAxis;
}

function drawScatter(chart: ScatterChart): HTMLElement {
  const plot = el("div", { class: "plot scatter" });
  redrawOnChange(plot, (width) => {
    plot.replaceChildren(picture(chart, layoutOf(chart, width), width));
  });
  return plot;
}

function layoutOf({ x, y, points, marks }: ScatterChart, width: number): Layout {
  const across = [...marks.x, ...points.flatMap((one) => valuesOf(one.x))];
  const up = layoutAxis([...marks.y, ...points.flatMap((one) => valuesOf(one.y))], y, 7);
  const left = labelRoom(up, y);
  const room = { x: left, y: TOP, width: width - left - EDGE, height: HEIGHT - TOP };
  const [from, to] = [room.x + EDGE, room.x + room.width - EDGE];
  return {
    room,
    x: pixelAxis(x, layoutAxis(across, x, room.width / 80), from, to),
    y: pixelAxis(y, up, HEIGHT - EDGE, TOP + EDGE),
  };
}

function valuesOf({ value, low, high }: BoundedValue): number[] {
  return [low, value, high];
}

function picture(chart: ScatterChart, layout: Layout, width: number): SVGElement {
  const { room, x, y } = layout;
  const right = room.x + room.width;
  return drawing(
    { width, height: HEIGHT + AXIS, label: accessibleLabel(chart) },
    ...verticalAxis(y, room),
    ...horizontalAxis(x, room),
    ...chart.marks.x.map((mark) => verticalLine(x.place(mark), TOP, HEIGHT, "reference")),
    ...chart.marks.y.map((mark) => horizontalLine(y.place(mark), room.x, right, "reference")),
    ...chart.points.map((point) => pointOf(point, layout)),
    ...namesOf(chart.points, layout),
  );
}

function accessibleLabel({ points }: ScatterChart): string {
  return points.map(({ name, text }) => `${name}: ${text}`).join("; ");
}

function pointOf({ x, y, tone, name, text }: ScatterPoint, layout: Layout): Element {
  const [cx, cy] = [layout.x.place(x.value), layout.y.place(y.value)];
  return svg(
    "g",
    { class: `lane ink-${tone % 7}` },
    svg("title", {}, `${name}: ${text}`),
    horizontalLine(cy, layout.x.place(x.low), layout.x.place(x.high), "bound"),
    verticalLine(cx, layout.y.place(y.low), layout.y.place(y.high), "bound"),
    svg("circle", { cx, cy, r: RADIUS }),
  );
}

function namesOf(points: ScatterPoint[], { room, x, y }: Layout): Element[] {
  const most = room.width * MOST_NAME;
  const placed = points.map((point) => ({
    x: x.place(point.x.value),
    y: y.place(point.y.value),
    width: Math.min(point.name.length * TEXT_WIDTH, most),
  }));
  return labelled(placed, room).flatMap((box, i) => {
    const point = placed[i];
    const place = { x: box.x, y: box.y + 12, room: most, letter: TEXT_WIDTH };
    const text = cutText(points[i]?.name ?? "", place, { class: "name" });
    return point ? [...leaderTo(box, point), text] : [text];
  });
}

/** A line from a name that stands away to its point. */
function leaderTo(box: Box, point: { x: number; y: number }): Element[] {
  const middle = box.y + box.height / 2;
  if (Math.abs(middle - point.y) < box.height) return [];
  const near = box.x > point.x ? box.x - 2 : box.x + box.width + 2;
  return [svg("line", { x1: point.x, y1: point.y, x2: near, y2: middle, class: "leader" })];
}
