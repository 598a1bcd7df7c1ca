// A Kiviat diagram: axes from the middle to a rim that is the best value of each.
import type { RadarChart } from "../../base/payload";
import { drawing, el, svg } from "../../draw/dom";
import { redrawOnChange } from "../../draw/redraw";
import { registerDrawing } from "../../draw/registry";
import { cutText } from "../../draw/text";

registerDrawing<RadarChart>("radar", drawRadar);

const RINGS = [0.25, 0.5, 0.75, 1];
const MOST_RADIUS = 170;
const LABEL_ROOM = 118;
const LABEL_GAP = 14;
/** Of a letter of a name: those that are still too long are cut in the page. */
const LETTER = 5;

interface Layout {
  x: number;
  y: number;
  radius: number;
  axes: number;
}

type Shape = RadarChart["shapes"][number];

function drawRadar(chart: RadarChart): HTMLElement {
  const plot = el("div", { class: "plot radar" });
  const shown = new Set(chart.shapes.filter((shape) => shape.shown));
  const redraw = redrawOnChange(plot, (width) => {
    const shapes = chart.shapes.filter((shape) => shown.has(shape));
    plot.replaceChildren(picture({ ...chart, shapes }, width));
  });
  return el("div", {}, chooserOf(chart, shown, redraw), plot);
}

/** A legend whose entries show and hide their shapes. */
function chooserOf({ shapes }: RadarChart, shown: Set<Shape>, redraw: () => void): HTMLElement {
  const entries = shapes.map((shape) => {
    const mark = el("span", { class: `mark tone-${shape.tone % 7}` });
    const pressed = String(shown.has(shape));
    const entry = el("button", { type: "button", "aria-pressed": pressed }, mark, shape.name);
    entry.addEventListener("click", () => {
      if (!shown.delete(shape)) shown.add(shape);
      entry.setAttribute("aria-pressed", String(shown.has(shape)));
      redraw();
    });
    return entry;
  });
  return el("div", { class: "legend many", role: "group", "aria-label": "Systems shown" }, ...entries);
}

function picture({ axes, shapes }: RadarChart, width: number): SVGElement {
  const radius = Math.min(MOST_RADIUS, Math.max(48, width / 2 - LABEL_ROOM));
  const layout = { x: width / 2, y: radius + 34, radius, axes: axes.length };
  const height = 2 * radius + 68;
  const words = shapes.map(
    ({ name, texts }) => `${name}: ${axes.map((axis, i) => `${axis} ${texts[i] ?? ""}`).join(", ")}`,
  );
  return drawing(
    { width, height, label: words.join("; ") },
    ...RINGS.map((ring) =>
      svg("polygon", {
        points: outline(
          axes.map(() => ring),
          layout,
        ),
        class: "ring",
      }),
    ),
    ...axes.flatMap((name, i) => axisOf(name, i, layout, width)),
    ...shapes.map((shape) => shapeOf(shape, layout, axes)),
  );
}

/** The first axis points up, the others follow clockwise. */
function pointAt(index: number, share: number, { x, y, radius, axes }: Layout): [number, number] {
  const angle = (2 * Math.PI * index) / axes;
  return [x + Math.sin(angle) * radius * share, y - Math.cos(angle) * radius * share];
}

function outline(shares: number[], layout: Layout): string {
  return shares
    .map((share, i) =>
      pointAt(i, share, layout)
        .map((one) => one.toFixed(1))
        .join(","),
    )
    .join(" ");
}

function axisOf(name: string, index: number, layout: Layout, width: number): Element[] {
  const [x, y] = pointAt(index, 1, layout);
  const [textX, textY] = pointAt(index, 1 + LABEL_GAP / layout.radius, layout);
  const side = Math.abs(textX - layout.x) < 8 ? "middle" : textX > layout.x ? "start" : "end";
  const room = { start: width - textX, middle: width, end: textX }[side];
  return [
    svg("line", { x1: layout.x, y1: layout.y, x2: x, y2: y, class: "grid" }),
    cutText(
      name,
      { x: textX, y: textY + 4, room, letter: LETTER },
      { "text-anchor": side, class: "axis-name" },
    ),
  ];
}

/** A value that is missing leaves the line at the middle, without a dot. */
function shapeOf({ name, tone, values, texts }: Shape, layout: Layout, axes: string[]): Element {
  const dots = values.flatMap((value, i) => {
    if (value === null) return [];
    const [cx, cy] = pointAt(i, value, layout);
    const title = svg("title", {}, `${name}, ${axes[i] ?? ""}: ${texts[i] ?? ""}`);
    return [svg("circle", { cx, cy, r: 4 }, title)];
  });
  const line = svg("polygon", {
    points: outline(
      values.map((value) => value ?? 0),
      layout,
    ),
    class: "outline",
  });
  return svg("g", { class: `lane ink-${tone % 7}` }, line, ...dots);
}
