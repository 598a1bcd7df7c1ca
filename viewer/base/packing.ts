// The inverse of groma.report.packing and groma.report.sharing: what a page holds comes back in full.
import type { Quantity, SampleSummary } from "./payload";
import { isQuantity } from "./quantity";

type Shared<T> = T | T[];

interface PackedMatrix {
  rows: number;
  columns: number;
  symmetric: boolean;
  /** From each cell that exists to the next one, where most are empty and the columns hold these alone. */
  steps: number[] | null;
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

/** The JSON value with every packed part, and every reference, replaced by what it stands for. */
export function unpack(packed: unknown): unknown {
  return isObject(packed) && "$shared" in packed
    ? unpacker(packed.$shared as unknown[])(packed.$value)
    : unpacker([])(packed);
}

/** What several places refer to is unpacked once. */
function unpacker(shared: unknown[]): (value: unknown) => unknown {
  const known = new Map<number, unknown>();
  const referred = (place: number) => {
    if (!known.has(place)) known.set(place, unpacked(shared[place]));
    return known.get(place);
  };
  const unpacked = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(unpacked);
    if (!isObject(value)) return value;
    if ("$ref" in value) return referred(value.$ref as number);
    const whole = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unpacked(item)]));
    return unpackPart(whole);
  };
  return unpacked;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Of an object whose members are unpacked. */
function unpackPart(value: Record<string, unknown>): unknown {
  if ("$matrix" in value) return unpackMatrix(value.$matrix as PackedMatrix);
  if ("$pairs" in value) return (value.$pairs as Run[]).flatMap(unpackRun);
  if ("$columns" in value) return unpackColumns(value as unknown as PackedColumns);
  if ("$rows" in value) return unpackRows(value as unknown as PackedRows);
  const own = withOwnKeys(value);
  return isQuantity(own) ? withUnknown(own) : own;
}

/** A key of a record that begins with `$` has one more here, so that it is never taken for one of those above. */
function withOwnKeys(value: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(value);
  if (!entries.some(([key]) => isMarked(key))) return value;
  return Object.fromEntries(entries.map(([key, item]) => [isMarked(key) ? key.slice(1) : key, item]));
}

function isMarked(key: string): boolean {
  return key.startsWith("$$");
}

/** JSON has null for a number beyond its range: that is not zero. */
function withUnknown(quantity: Quantity): Quantity {
  const known = (number: number | null) => number ?? NaN;
  const { value, low, high } = quantity;
  return { ...quantity, value: known(value), low: known(low), high: known(high) };
}

interface PackedColumns {
  length: number;
  $columns: Record<string, Column>;
}

interface PackedRows {
  length: number;
  $rows: Column[];
}

/** All entries, or the one that they all are. */
type Column = unknown[] | { $same: unknown };

function unpackColumns({ length, $columns }: PackedColumns): Record<string, unknown>[] {
  const columns = Object.entries($columns);
  return Array.from({ length }, (_, i) =>
    Object.fromEntries(columns.map(([field, column]) => [field, entryOf(column, i)])),
  );
}

function unpackRows({ length, $rows }: PackedRows): unknown[][] {
  return Array.from({ length }, (_, i) => $rows.map((column) => entryOf(column, i)));
}

function entryOf(column: Column, i: number): unknown {
  return Array.isArray(column) ? column[i] : column.$same;
}

function unpackRun([first, from, to]: Run): [number, number][] {
  return Array.from({ length: to - from + 1 }, (_, i) => [first, from + i]);
}

function unpackMatrix(packed: PackedMatrix): (Quantity | null)[][] {
  const cells: (Quantity | null)[] = [];
  let place = -1;
  packed.value.forEach((_, i) => {
    place += packed.steps?.[i] ?? 1;
    cells[place] = cellAt(packed, i);
  });
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
