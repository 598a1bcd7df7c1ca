// Named spots over two axes, with lines for the intervals of both.
import { laidOver } from "../../model/axis";
import type { Bounded, DotAxis, ScatterChart, Spot } from "../../model/figure";
import { type Box, labelled } from "../../model/labels";
import { el, svg } from "../dom";
import { drawingWidth, keepDrawn } from "../surroundings";
import { AXIS, axisTitle, horizontalAxis, level, type Place, tickText, upright } from "./axis";

const HEIGHT = 330;
const TOP = 30;
const LEFT = 84;
const EDGE = 16;
const TEXT_WIDTH = 6.9;
const RADIUS = 6;

interface Layout {
  room: Box;
  x: { ticks: number[]; place: Place };
  y: { ticks: number[]; place: Place };
}

export function drawScatter(chart: ScatterChart): HTMLElement {
  const plot = el("div", { class: "plot scatter" });
  keepDrawn(plot, () => {
    const width = drawingWidth(plot);
    plot.replaceChildren(picture(chart, layoutOf(chart, width), width));
  });
  return plot;
}

function layoutOf({ x, y, spots, marks }: ScatterChart, width: number): Layout {
  const room = { x: LEFT, y: TOP, width: width - LEFT - EDGE, height: HEIGHT - TOP };
  const inner = { from: room.x + EDGE, to: room.x + room.width - EDGE };
  const across = laidOver([...marks.x, ...spots.flatMap((one) => valuesOf(one.x))], x, room.width / 80);
  const up = laidOver([...marks.y, ...spots.flatMap((one) => valuesOf(one.y))], y, 7);
  return {
    room,
    x: { ticks: across.ticks, place: (value) => inner.from + across.share(value) * (inner.to - inner.from) },
    y: { ticks: up.ticks, place: (value) => HEIGHT - EDGE - up.share(value) * (room.height - 2 * EDGE) },
  };
}

function valuesOf({ value, low, high }: Bounded): number[] {
  return [low, value, high];
}

function picture(chart: ScatterChart, layout: Layout, width: number): SVGElement {
  const { room, x, y } = layout;
  const right = room.x + room.width;
  const height = HEIGHT + AXIS;
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": spoken(chart) },
    ...verticalAxis(chart.y, layout),
    ...horizontalAxis(chart.x, { ...x, from: TOP, to: HEIGHT }),
    ...chart.marks.x.map((mark) => upright(x.place(mark), TOP, HEIGHT, "reference")),
    ...chart.marks.y.map((mark) => level(y.place(mark), room.x, right, "reference")),
    axisTitle(chart.x, (room.x + right) / 2, HEIGHT),
    ...chart.spots.map((spot) => spotOf(spot, layout)),
    ...namesOf(chart.spots, layout),
  );
}

function spoken({ spots }: ScatterChart): string {
  return spots.map(({ name, told }) => `${name}: ${told}`).join("; ");
}

function verticalAxis(axis: DotAxis, { room, y: { ticks, place } }: Layout): Element[] {
  return [
    svg("text", { x: 0, y: 13, class: "axis-title" }, `↑ ${axis.title}`),
    ...ticks.map((tick) => level(place(tick), room.x, room.x + room.width, "grid")),
    ...ticks.map((tick) =>
      svg(
        "text",
        { x: room.x - 8, y: place(tick) + 4, "text-anchor": "end", class: "tick" },
        tickText(tick, axis),
      ),
    ),
  ];
}

function spotOf({ x, y, tone, name, told }: Spot, layout: Layout): Element {
  const [cx, cy] = [layout.x.place(x.value), layout.y.place(y.value)];
  return svg(
    "g",
    { class: `lane ink-${tone % 7}` },
    svg("title", {}, `${name}: ${told}`),
    level(cy, layout.x.place(x.low), layout.x.place(x.high), "bound"),
    upright(cx, layout.y.place(y.low), layout.y.place(y.high), "bound"),
    svg("circle", { cx, cy, r: RADIUS }),
  );
}

function namesOf(spots: Spot[], { room, x, y }: Layout): Element[] {
  const placed = spots.map((spot) => ({
    x: x.place(spot.x.value),
    y: y.place(spot.y.value),
    width: spot.name.length * TEXT_WIDTH,
  }));
  return labelled(placed, room).flatMap((box, i) => {
    const spot = placed[i];
    const text = svg("text", { x: box.x, y: box.y + 12, class: "name" }, spots[i]?.name);
    return spot ? [...leaderTo(box, spot), text] : [text];
  });
}

/** A line from a name that stands away to its spot. */
function leaderTo(box: Box, spot: { x: number; y: number }): Element[] {
  const middle = box.y + box.height / 2;
  if (Math.abs(middle - spot.y) < box.height) return [];
  const near = box.x > spot.x ? box.x - 2 : box.x + box.width + 2;
  return [svg("line", { x1: spot.x, y1: spot.y, x2: near, y2: middle, class: "leader" })];
}
