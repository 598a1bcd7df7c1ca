// What a view hands to the page: plain data, no DOM. `report/` knows how each kind is drawn.
import type { Advice, Quantity } from "./record";
import { sentence } from "./words";

export type Block = Stamp | Tiles | Figure | Choice | Callouts | Note;

/** A headline figure with what stands beside it. */
export interface Tile {
  title: string;
  value: string;
  unit: string;
  /** The interval of `value`, e.g. `[32, 36] KiB`. */
  interval: string;
  lines: string[];
  /** What the operating system says of the same thing. */
  declared: { text: string; agrees: boolean } | null;
}

export interface Tiles {
  block: "tiles";
  lead: string;
  tiles: Tile[];
}

/** The outcome in one line, with what led to it. */
export interface Stamp {
  block: "stamp";
  outcome: "good" | "warn" | "bad";
  title: string;
  lines: string[];
}

export interface Callouts {
  block: "callouts";
  advice: Advice[];
}

/** A plain sentence, e.g. that a part was not measured. */
export interface Note {
  block: "note";
  text: string;
}

export interface Figure {
  block: "figure";
  id: string;
  title: string;
  /** What is shown, in which unit. */
  what: string;
  /** How it was measured; empty where nothing was. */
  method: string;
  /** Null where the table says it all; it is then shown open. */
  drawing: Drawing | null;
  table: () => Table;
  /** What "copy JSON" copies. */
  data: () => unknown;
}

/** Figures of which one is shown at a time. */
export interface Choice {
  block: "choice";
  id: string;
  label: string;
  options: { label: string; figure: Figure }[];
}

export type CellValue = string | number | boolean | null | Quantity;

export interface Table {
  columns: string[];
  rows: CellValue[][];
}

export type Drawing = LineChart | HeatMap | MachinePicture | StripChart | RadarChart | ScatterChart;

export interface Axis {
  title: string;
  unit: string;
  scale: "linear" | "log2" | "log10";
  /** A linear axis that begins near the data instead of at zero, for differences that are small beside it. */
  close?: boolean;
}

/** Of dots; `zero-log10` is logarithmic with a place of its own for zero: for rates that may be nothing at all. */
export interface DotAxis extends Omit<Axis, "scale"> {
  scale: "linear" | "log10" | "zero-log10";
}

export interface Point {
  x: number;
  y: number;
  low?: number;
  high?: number;
  /** Extra words for the tooltip. */
  note?: string;
}

export interface Series {
  name: string;
  points: Point[];
  /** How `low` and `high` of the points are drawn. */
  spread: "band" | "bars" | "none";
  /** What `high` is where the points are no interval, e.g. "median". */
  upper?: string;
  /** Series of one tone share a colour; `dashed` tells them apart. */
  tone: number;
  dashed?: boolean;
}

/** A marked range of the x axis; a line where `low` equals `high`. */
export interface XRange {
  name: string;
  low: number;
  high: number;
  kind: "measured" | "declared";
}

export interface LineChart {
  kind: "lines";
  x: Axis;
  y: Axis;
  series: Series[];
  ranges: XRange[];
}

export interface Legend {
  name: string;
  tone: number;
}

/** Rows of dots and intervals over one axis. */
export interface StripChart {
  kind: "strips";
  x: DotAxis;
  strips: Strip[];
  /** Values that are marked over all rows, such as a ratio of 1. */
  marks: number[];
  /** What the tones stand for, empty where there is one. */
  legend: Legend[];
  /** Whether values are also drawn as bars from zero, for parts and sums that are compared in length. */
  bars?: boolean;
}

export interface Strip {
  name: string;
  lanes: Lane[];
}

/** One value with its interval, the samples behind it as dots, and how it is told in words. */
export interface Lane {
  tone: number;
  value: number;
  low: number;
  high: number;
  dots: number[];
  told: string;
}

/** Named spots over two axes, with the intervals of both. */
export interface ScatterChart {
  kind: "scatter";
  x: DotAxis;
  y: DotAxis;
  spots: Spot[];
  /** Values that are marked across the drawing. */
  marks: { x: number[]; y: number[] };
}

export interface Spot {
  name: string;
  tone: number;
  x: Bounded;
  y: Bounded;
  told: string;
}

export interface Bounded {
  value: number;
  low: number;
  high: number;
}

/** One closed line per record over axes from 0 to 1; null where a record has no value. */
export interface RadarChart {
  kind: "radar";
  axes: string[];
  shapes: { name: string; tone: number; values: (number | null)[]; told: string[] }[];
}

export interface HeatMap {
  kind: "heat";
  rowTitle: string;
  columnTitle: string;
  rows: string[];
  columns: string[];
  cells: (Quantity | null)[][];
  /** Indices before which a heavier line is drawn: borders of packages. */
  borders: number[];
}

/** Columns are hardware threads; each band holds boxes that span those which share the thing. */
export interface MachinePicture {
  kind: "machine";
  packages: PackagePicture[];
}

export interface PackagePicture {
  title: string;
  detail: string;
  columns: number;
  bands: Band[];
}

export type Role = "core" | "level1" | "level2" | "level3" | "memory";

export interface Band {
  label: string;
  /** What was measured of it, empty where nothing was. */
  measured: string;
  role: Role;
  boxes: Box[];
}

export interface Box {
  from: number;
  span: number;
  text: string;
  detail: string;
  /** Not available to the run. */
  faded?: boolean;
}

type Optional = "method" | "drawing";

export function figure(parts: Omit<Figure, "block" | Optional> & Partial<Pick<Figure, Optional>>): Figure {
  return { block: "figure", method: "", drawing: null, ...parts };
}

/** A figure that its table says all of; nothing without rows. */
export function tableFigure({
  columns,
  rows,
  ...parts
}: Omit<Parameters<typeof figure>[0], "drawing" | "table"> & Table): Block[] {
  return rows.length > 0 ? [figure({ ...parts, table: () => ({ columns, rows }) })] : [];
}

/** One figure alone, else a choice between all; nothing of none. */
export function chosenFrom(id: string, label: string, options: Choice["options"]): Block[] {
  const [only, ...others] = options;
  if (!only) return [];
  return others.length > 0 ? [{ block: "choice", id, label, options }] : [only.figure];
}

export function note(text: string): Note {
  return { block: "note", text };
}

/** What a record notes, as a sentence. */
export function noted(words: string): Note {
  return note(sentence(words));
}

export function notMeasured(what: string): Note {
  return note(`${what}: not measured in this run.`);
}
