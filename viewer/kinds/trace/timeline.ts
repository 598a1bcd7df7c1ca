// Rows of bins of time, each filled with the colours of what was done in it.
import { type AxisLayout, layoutAxis, tickLabels } from "../../base/axis";
import { readable } from "../../base/direction";
import type { DataTable, DotAxis, TimelineChart } from "../../base/payload";
import { AXIS, horizontalAxis, OVERHANG, pixelAxis } from "../../draw/axis";
import { type Cell, cellFrame, followCells } from "../../draw/cells";
import { drawing, el, svg } from "../../draw/dom";
import { legendOf } from "../../draw/legend";
import { redrawOnChange, toneColours } from "../../draw/redraw";
import { registerDrawing } from "../../draw/registry";
import { cutText, roomFor } from "../../draw/text";

registerDrawing<TimelineChart>("timeline", drawTimeline, { table: tableOf, data: dataOf });

const LETTER = 6.3;
const FONT = 12.5;
const EDGE = 10;
const TOP = 4;
const MOST_NAME = 0.25;
/** Room for a name. */
const NAME = 14;
/** All rows together, where each is neither too low to be seen nor too high. */
const HEIGHT = 420;
const LEAST_ROW = 10;
const MOST_ROW = 34;
/** Of tick labels and of times in words. */
const TIME: DotAxis = { title: "time", unit: "s", scale: "linear", close: true };

interface Layout {
  width: number;
  left: number;
  right: number;
  row: number;
}

function drawTimeline(chart: TimelineChart): HTMLElement {
  const { rows, bins, row_title } = chart;
  const readout = el(
    "p",
    { class: "readout", "aria-live": "polite" },
    "Point at a bin or use the arrow keys.",
  );
  const plot = el("div", {
    class: "plot strips timeline",
    tabindex: 0,
    role: "group",
    "aria-label": `Timeline of ${rows.length} rows by ${bins} bins; arrow keys describe single bins`,
  });
  redrawOnChange(plot, (width) => {
    plot.replaceChildren(picture(chart, layoutIn(width, chart)));
  });
  followCells(plot, { rows: rows.length, columns: bins }, (cell) => {
    readout.textContent = readable(`${row_title} ${cellText(chart, cell)}`);
  });
  return el("div", {}, legendOf(chart.parts), plot, readout);
}

function timesOf({ begin, width }: TimelineChart, bin: number): [from: number, to: number] {
  return [begin + bin * width, begin + (bin + 1) * width];
}

function cellText(chart: TimelineChart, { row, column }: Cell): string {
  const times = timesOf(chart, column);
  const [from, to] = times.map(tickLabels(times, TIME));
  const present = chart.parts
    .map(({ name }, part) => ({ name, share: shareOf(chart, { row, column }, part) }))
    .filter(({ share }) => share > 0)
    .sort((one, other) => other.share - one.share);
  const shares = present.map(({ name, share }) => `${name} ${share}\u00a0%`).join(", ");
  return `${chart.rows[row]?.name ?? ""}, ${from ?? ""} to ${to ?? ""}: ${shares || chart.absent}`;
}

/** In per cent. */
function shareOf({ rows }: TimelineChart, { row, column }: Cell, part: number): number {
  return rows[row]?.shares[part]?.[column] ?? 0;
}

function layoutIn(width: number, { rows }: TimelineChart): Layout {
  const longest = rows.reduce((most, { name }) => Math.max(most, name.length), 1);
  const left = Math.max(OVERHANG, Math.min(roomFor(longest, FONT), MOST_NAME * width) + EDGE);
  const row = Math.min(MOST_ROW, Math.max(LEAST_ROW, Math.floor(HEIGHT / rows.length)));
  return { width, left, right: width - OVERHANG, row };
}

function picture(chart: TimelineChart, { width, left, right, row }: Layout): SVGElement {
  const height = chart.rows.length * row;
  const most = Math.max(2, Math.min(9, Math.floor((right - left) / 80)));
  const x = pixelAxis(TIME, timeAxis(chart, most), left, right);
  const place = { x: left, y: TOP, width: right - left, height };
  const every = Math.ceil(NAME / row);
  const names = chart.rows.flatMap(({ name }, i) =>
    i % every
      ? []
      : [
          cutText(
            name,
            { x: 0, y: TOP + (i + 0.5) * row + 4, room: left - EDGE, letter: LETTER },
            { class: "name" },
          ),
        ],
  );
  return drawing(
    {
      width,
      height: TOP + height + AXIS,
      label: `Timeline of ${chart.parts.map(({ name }) => name).join(", ")}`,
    },
    ...horizontalAxis(x, { ...place, y: 0, height: TOP + height }),
    ...names,
    svg(
      "g",
      { class: "cells" },
      svg("image", { ...place, preserveAspectRatio: "none", href: image(chart, row) }),
    ),
    cellFrame({ ...place, width: place.width / chart.bins, height: row }),
  );
}

/** From the first bin to the last, with ticks between them. */
function timeAxis(chart: TimelineChart, most: number): AxisLayout {
  const [from, to] = [chart.begin, chart.begin + chart.bins * chart.width];
  const { ticks } = layoutAxis([from, to], TIME, most);
  return {
    ticks: ticks.filter((tick) => tick >= from && tick <= to),
    share: (time) => (time - from) / (to - from),
  };
}

/** A column for each bin. Rows have the lines of the screen, the last of which stays free, so that rows are apart. */
function image(chart: TimelineChart, height: number): string {
  const lines = Math.round(height * devicePixelRatio);
  const canvas = el("canvas", { width: chart.bins, height: chart.rows.length * lines });
  const context = canvas.getContext("2d");
  if (!context) throw new Error("no canvas");
  for (let row = 0; row < chart.rows.length; row++) {
    for (let column = 0; column < chart.bins; column++) {
      const foot = (row + 1) * lines - 1;
      for (const { from, to, colour } of stackOf(chart, { row, column }, lines - 1)) {
        context.fillStyle = colour;
        context.fillRect(column, foot - to, 1, to - from);
      }
    }
  }
  return canvas.toDataURL();
}

interface Layer {
  from: number;
  to: number;
  colour: string;
}

/** The parts of a bin on each other, in lines from its foot on. */
function stackOf(chart: TimelineChart, cell: Cell, lines: number): Layer[] {
  const colours = toneColours();
  const shares = chart.parts.map((_, part) => shareOf(chart, cell, part));
  const whole = shares.reduce((sum, share) => sum + share, 0);
  let below = 0;
  return shares.flatMap((share, part) => {
    if (share === 0) return [];
    const from = Math.round((below / whole) * lines);
    below += share;
    const to = Math.round((below / whole) * lines);
    return [{ from, to, colour: colours[(chart.parts[part]?.tone ?? 0) % colours.length] ?? "" }];
  });
}

/** A row for each bin of each row. */
function tableOf(chart: TimelineChart): DataTable {
  const { parts, rows, bins, row_title } = chart;
  return {
    columns: [row_title, "from", "to", ...parts.map(({ name }) => `${name} (%)`)],
    units: ["", "s", "s"],
    rows: rows.flatMap(({ name }, row) =>
      Array.from({ length: bins }, (_, column) => [
        name,
        ...timesOf(chart, column),
        ...parts.map((_, part) => shareOf(chart, { row, column }, part)),
      ]),
    ),
  };
}

/** Whole per cents by row and part: a tenth of the size of the table. */
function dataOf({ begin, width, bins, parts, rows }: TimelineChart): unknown {
  return { begin, width, bins, unit: "s", parts: parts.map(({ name }) => name), rows };
}
