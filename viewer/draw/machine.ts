// The node as packages of bands of boxes.
import type { Band, Box, MachinePicture, PackagePicture } from "../base/payload";
import { drawing, el, svg } from "./dom";
import { redrawOnChange } from "./redraw";
import { registerDrawing } from "./registry";
import { cutText } from "./text";

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
  redrawOnChange(host, (available) => {
    const width = packageWidth(packages, available);
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
  let top = 0;
  const parts = one.bands.flatMap((band) => {
    const lines = linesOf(band, width);
    const drawn = bandOf(band, lines, one.columns, width, top);
    top += lines.length * LABEL_HEIGHT + BOX_HEIGHT + BAND_GAP;
    return drawn;
  });
  const height = top - BAND_GAP + 2;
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

type Line = { text: string; kind: "band-label" | "band-measured" }[];

/** Label and measured value on one line where both fit, else on lines of their own, broken at blanks. */
function linesOf({ label, measured }: Band, width: number): Line[] {
  const parts: Line = [
    { text: label, kind: "band-label" },
    { text: measured, kind: "band-measured" },
  ];
  if (measured === "" || (label.length + measured.length + 3) * TEXT_WIDTH <= width) return [parts];
  return parts.flatMap(({ text, kind }) =>
    brokenAt(text, Math.floor(width / TEXT_WIDTH)).map((one) => [{ text: one, kind }]),
  );
}

/** Lines of at most so many letters, but for words that are longer. */
function brokenAt(text: string, most: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= most)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function bandOf(band: Band, lines: Line[], columns: number, width: number, top: number): Element[] {
  const boxTop = top + lines.length * LABEL_HEIGHT;
  return [
    ...lines.flatMap((line, i) => textsOf(line, width, top + 11 + i * LABEL_HEIGHT)),
    ...band.boxes.flatMap((box) => boxOf(box, band, width / columns, boxTop)),
  ];
}

/** The first part of a line on the left, the second one on the right. */
function textsOf(line: Line, width: number, y: number): Element[] {
  return line.map(({ text, kind }, i) =>
    cutText(
      text,
      { x: i === 0 ? 0 : width, y, room: width, letter: TEXT_WIDTH },
      { class: kind, ...(i === 0 ? {} : { "text-anchor": "end" }) },
    ),
  );
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
