// Headline quantities of several records with their ratio to the first.
import {
  type Block,
  type CellValue,
  type Figure,
  figure,
  type Lane,
  type Strip,
  type StripChart,
  type Table,
  tableFigure,
} from "./figure";
import { quantityLane } from "./lanes";
import { isOneSample, ratioOf, shown } from "./quantity";
import type { PageRecord, Quantity } from "./record";
import { formatPoint, formatQuantity, formatValue } from "./units";

export interface Headline {
  name: string;
  quantity: Quantity;
}

/** Nothing of what was not measured. */
export function headline(name: string, quantity: Quantity | null | undefined): Headline[] {
  return quantity ? [{ name, quantity }] : [];
}

/** `headlines[i]` are those of `records[i]`; `names` all that occur, in order. */
export interface Compared {
  records: PageRecord[];
  headlines: Headline[][];
  names: string[];
}

export function compared(records: PageRecord[], headlinesOf: (record: PageRecord) => Headline[]): Compared {
  const headlines = records.map(headlinesOf);
  return { records, headlines, names: [...new Set(headlines.flat().map(({ name }) => name))] };
}

/** Value by value, with ratio and verdict; nothing without headlines. */
export function headlineFigure(id: string, title: string, all: Compared): Block[] {
  const { records, headlines } = all;
  return tableFigure({
    id,
    title,
    what: `Ratios are relative to ${records[0]?.name ?? "the first record"}; their intervals hold every ratio of the two intervals.`,
    ...tableOf(all),
    data: () => records.map((record, i) => ({ name: record.name, headlines: headlines[i] })),
  });
}

/** The ratios as a drawing, then value by value; nothing without headlines. */
export function relativeFigures(id: string, title: string, all: Compared, note: string): Block[] {
  if (all.names.length === 0) return [];
  return [
    ratioFigure(`${id}-ratios`, `${title}, relative to the first record`, all, note),
    ...headlineFigure(`${id}-headlines`, `${title}, value by value`, all),
  ];
}

function tableOf(all: Compared): Table {
  return { columns: columnsOf(all.records), rows: all.names.map((name) => rowOf(name, all)) };
}

function columnsOf([first, ...others]: PageRecord[]): string[] {
  return ["quantity", first?.name ?? "", ...others.flatMap(({ name }) => [name, "ratio", "verdict"])];
}

function rowOf(name: string, all: Compared): CellValue[] {
  const [base, ...others] = quantitiesOf(name, all);
  return [name, shown(base ?? null), ...others.flatMap((other) => comparedTo(base ?? null, other))];
}

function quantitiesOf(name: string, { headlines }: Compared): (Quantity | null)[] {
  return headlines.map((own) => own.find((headline) => headline.name === name)?.quantity ?? null);
}

function comparedTo(base: Quantity | null, other: Quantity | null): CellValue[] {
  const ratio = base && other ? ratioOf(other, base) : null;
  return [shown(other), shown(ratio), ratio ? verdictOf(ratio) : null];
}

function verdictOf(ratio: Quantity): string {
  if (isOneSample(ratio)) return "open: one sample";
  if (ratio.low > 1) return "higher";
  return ratio.high < 1 ? "lower" : "indistinguishable";
}

/** `note` says which values are better when they are less. */
function ratioFigure(id: string, title: string, all: Compared, note: string): Figure {
  return figure({
    id,
    title,
    what: `Each value over that of ${all.records[0]?.name ?? ""}. A bar that touches 1 leaves open which is larger; a dot without a bar is a single sample. ${note}`,
    drawing: ratioStrips(all),
    table: () => tableOf(all),
    data: () => all.headlines,
  });
}

/** One row per headline, one lane per record but the first. */
export function ratioStrips(all: Compared): StripChart {
  const strips = all.names
    .map((name) => ({ name, lanes: lanesOf(quantitiesOf(name, all)) }))
    .filter(({ lanes }) => lanes.length > 0);
  return {
    kind: "strips",
    x: {
      title: "ratio to the first record",
      unit: "ratio",
      scale: scaleOf(strips),
      close: true,
    },
    strips,
    marks: [1],
    legend: all.records.map(({ name }, tone) => ({ name, tone })).slice(1),
  };
}

const WIDE = 5;

/** Logarithmic where ratios differ by more than a factor of five. */
export function scaleOf(strips: Strip[]): "linear" | "log10" {
  const all = [1, ...strips.flatMap(({ lanes }) => lanes.flatMap(({ low, high }) => [low, high]))];
  const least = Math.min(...all);
  return least > 0 && Math.max(...all) > WIDE * least ? "log10" : "linear";
}

/** Ratios of all but the first to it; the first has tone 0 elsewhere, the second is 1. */
export function lanesOf([base, ...others]: (Quantity | null)[]): Lane[] {
  return others.flatMap((other, i) => {
    const ratio = base && other ? ratioOf(other, base) : null;
    return ratio ? [laneOf(ratio, i + 1)] : [];
  });
}

function laneOf(ratio: Quantity, tone: number): Lane {
  const told = isOneSample(ratio) ? `${formatValue(ratio.value, "ratio")}, one sample` : toldWith(ratio);
  return quantityLane(ratio, tone, { told });
}

function toldWith(ratio: Quantity): string {
  const verdict = verdictOf(ratio);
  return verdict === "indistinguishable" ? `${formatPoint(ratio)}, indistinguishable` : formatQuantity(ratio);
}
