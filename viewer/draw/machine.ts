// The node as packages of bands of boxes.
import type { Band, Box, MachinePicture, PackagePicture } from "../base/payload";
import { drawing, el, svg } from "./dom";
import { drawingWidth, redrawOnChange } from "./redraw";
import { registerDrawing } from "./registry";

registerDrawing<MachinePicture>("machine", drawMachine);

const BOX_HEIGHT = 30;
const BAND_GAP = 16;
const LABEL_HEIGHT = 17;
const BOX_GAP = 4;
const TEXT_WIDTH = 6.7;
const MIN_PACKAGE_WIDTH = 300;
const COLUMN_WIDTH = 34;

function drawMachine({ packages }: MachinePicture): HTMLElement {
  const host = el("div", { class: "plot machine" });
  redrawOnChange(host, () => {
    const width = packageWidth(packages, drawingWidth(host));
    host.replaceChildren(...packages.map((one) => packageOf(one, width)));
  });
  return host;
}

/** As many packages beside each other as have room for their columns. */
function packageWidth(packages: PackagePicture[], available: number): number {
  const columns = packages.reduce((most, one) => Math.max(most, one.columns), 1);
  const wanted = Math.max(MIN_PACKAGE_WIDTH, Math.min(columns * COLUMN_WIDTH, available));
  const gap = 16;
  const side = Math.max(1, Math.min(packages.length, 3, Math.floor((available + gap) / (wanted + gap))));
  return Math.floor((available - gap * (side - 1)) / side) - 34;
}

function packageOf(one: PackagePicture, width: number): HTMLElement {
  const step = LABEL_HEIGHT + BOX_HEIGHT + BAND_GAP;
  const height = one.bands.reduce(
    (sum, band) => sum + step + (wraps(band, width) ? LABEL_HEIGHT : 0),
    -BAND_GAP + 2,
  );
  let top = 0;
  const parts = one.bands.flatMap((band) => {
    const drawn = bandOf(band, one.columns, width, top);
    top += step + (wraps(band, width) ? LABEL_HEIGHT : 0);
    return drawn;
  });
  return el(
    "div",
    { class: "package" },
    el("p", {}, el("strong", {}, one.title), el("span", { class: "soft" }, ` ${one.detail}`)),
    drawing({ width, height, label: `${one.title}: ${describe(one)}` }, ...parts),
  );
}

function describe({ bands }: PackagePicture): string {
  return bands
    .map(({ label, measured, boxes }) => `${boxes.length} × ${label}${measured ? `, ${measured}` : ""}`)
    .join("; ");
}

/** Whether label and measured value need a line each. */
function wraps({ label, measured }: Band, width: number): boolean {
  return measured !== "" && (label.length + measured.length + 3) * TEXT_WIDTH > width;
}

function bandOf(band: Band, columns: number, width: number, top: number): Element[] {
  const lines = wraps(band, width) ? 2 : 1;
  const boxTop = top + lines * LABEL_HEIGHT;
  const measured =
    lines === 2 ? { x: 0, y: top + 11 + LABEL_HEIGHT } : { x: width, y: top + 11, "text-anchor": "end" };
  return [
    svg("text", { x: 0, y: top + 11, class: "band-label" }, band.label),
    svg("text", { ...measured, class: "band-measured" }, band.measured),
    ...band.boxes.flatMap((box) => boxOf(box, band, width / columns, boxTop)),
  ];
}

function boxOf(
  { first, span, text, detail, faded }: Box,
  { role }: Band,
  column: number,
  top: number,
): Element[] {
  const gap = column > 12 ? BOX_GAP : 1;
  const width = Math.max(1, span * column - gap);
  const x = first * column + gap / 2;
  const shape = svg("rect", {
    x,
    y: top,
    width,
    height: BOX_HEIGHT,
    rx: Math.min(4, width / 4),
    class: `box ${role}`,
  });
  const drawn = svg("g", { class: faded ? "faded" : null }, svg("title", {}, detail), shape);
  if (text.length * TEXT_WIDTH + 4 <= width) {
    drawn.append(
      svg("text", { x: x + width / 2, y: top + BOX_HEIGHT / 2 + 4, "text-anchor": "middle" }, text),
    );
  }
  return [drawn];
}
