// The inverse of groma.report.packing: matrices and pair lists come back as the record's own shapes.
import { isQuantity } from "./quantity";
import type { Quantity, SampleSummary } from "./record";

/** What records of other kinds, or made by hand, may leave out of a quantity. */
const UNDECLARED = { samples: null, os_value: null, agrees: null };

type Shared<T> = T | T[];

interface PackedMatrix {
  rows: number;
  columns: number;
  symmetric: boolean;
  scale: number;
  value: (number | null)[];
  below: (number | null)[];
  above: (number | null)[];
  unit: Shared<string>;
  confidence: Shared<number>;
  method: Shared<string>;
  os_value: Shared<number | null>;
  agrees: Shared<boolean | null>;
  samples: Record<keyof SampleSummary, Shared<number | null>> | null;
}

type Run = [first: number, from: number, to: number];

/** The JSON value with every packed part replaced by what it stands for. */
export function unpack(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unpack);
  if (typeof value !== "object" || value === null) return value;
  if ("$matrix" in value) return unpackMatrix(value.$matrix as PackedMatrix);
  if ("$pairs" in value) return (value.$pairs as Run[]).flatMap(unpackRun);
  const whole = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unpack(item)]));
  return isQuantity(whole) ? { ...UNDECLARED, ...whole } : whole;
}

function unpackRun([first, from, to]: Run): [number, number][] {
  return Array.from({ length: to - from + 1 }, (_, i) => [first, from + i]);
}

function unpackMatrix(packed: PackedMatrix): (Quantity | null)[][] {
  const cells = packed.value.map((_, i) => cellAt(packed, i));
  return Array.from({ length: packed.rows }, (_, row) =>
    Array.from({ length: packed.columns }, (_, column) => cells[position(packed, row, column)] ?? null),
  );
}

/** Where the cell lies: row by row, or row by row of the upper triangle with its diagonal. */
function position(packed: PackedMatrix, row: number, column: number): number {
  if (!packed.symmetric) return row * packed.columns + column;
  const [low, high] = row < column ? [row, column] : [column, row];
  return low * packed.columns - (low * (low - 1)) / 2 + (high - low);
}

function cellAt(packed: PackedMatrix, i: number): Quantity | null {
  const scaled = packed.value[i];
  if (scaled === null || scaled === undefined) return null;
  return {
    value: tidy(scaled * packed.scale),
    unit: at(packed.unit, i),
    low: tidy((scaled - (packed.below[i] ?? 0)) * packed.scale),
    high: tidy((scaled + (packed.above[i] ?? 0)) * packed.scale),
    confidence: at(packed.confidence, i),
    method: at(packed.method, i),
    samples: summaryAt(packed, i),
    os_value: at(packed.os_value, i),
    agrees: at(packed.agrees, i),
  };
}

function summaryAt({ samples, scale }: PackedMatrix, i: number): SampleSummary | null {
  const n = samples && at(samples.n, i);
  if (!samples || n === null) return null;
  const scaled = (entry: Shared<number | null>) => tidy((at(entry, i) ?? NaN) * scale);
  return {
    n,
    min: scaled(samples.min),
    p5: scaled(samples.p5),
    p50: scaled(samples.p50),
    p95: scaled(samples.p95),
  };
}

function at<T>(shared: Shared<T>, i: number): T {
  return Array.isArray(shared) ? (shared[i] as T) : shared;
}

/** Removes the binary dust of a multiplication: 82.3 * 1e-9 is 8.23e-8. */
function tidy(value: number): number {
  return Number(value.toPrecision(7));
}
