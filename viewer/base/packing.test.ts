import assert from "node:assert/strict";
import { test } from "node:test";
import { unpack } from "./packing";
import type { Quantity } from "./payload";
import { formatQuantity } from "./units";

const SHARED = { scale: 1e-9, unit: "s", confidence: 0.95, method: "median", os_value: null, agrees: null };

function values(matrix: unknown): (number | null)[][] {
  return (matrix as (Quantity | null)[][]).map((row) => row.map((cell) => cell?.value ?? null));
}

test("upper triangle comes back as the symmetric matrix", () => {
  const value = [null, 1, 2, 3, null, 4, 5, null, 6, null];
  const zeros = value.map(() => 0);
  const packed = { rows: 4, columns: 4, symmetric: true, value, below: zeros, above: zeros, samples: null };
  assert.deepEqual(values(unpack({ $matrix: { ...SHARED, ...packed } })), [
    [null, 1e-9, 2e-9, 3e-9],
    [1e-9, null, 4e-9, 5e-9],
    [2e-9, 4e-9, null, 6e-9],
    [3e-9, 5e-9, 6e-9, null],
  ]);
});

test("a number beyond those of JSON is unknown, not zero", () => {
  const cell = { ...SHARED, value: null, low: null, high: null };
  const { value, low, high } = unpack(cell) as Quantity;
  assert.deepEqual([value, low, high], [NaN, NaN, NaN]);
  assert.match(formatQuantity(unpack(cell) as Quantity), /^unknown /);
});

test("measured cells of a sparse matrix come back in their places", () => {
  const packed = { rows: 3, columns: 4, symmetric: false, steps: [2, 5, 5], value: [1, 2, 3] };
  const zeros = { below: [0, 0, 0], above: [0, 0, 0], samples: null };
  assert.deepEqual(values(unpack({ $matrix: { ...SHARED, ...packed, ...zeros } })), [
    [null, 1e-9, null, null],
    [null, null, 2e-9, null],
    [null, null, null, 3e-9],
  ]);
});

test("interval and samples of a cell are scaled back", () => {
  const samples = { n: 40, min: [80, 90], p5: [81, 91], p50: [82, 92], p95: [83, 93] };
  const packed = {
    rows: 1,
    columns: 2,
    symmetric: false,
    value: [82.3, 92],
    below: [1.3, 2],
    above: [2.2, 1],
    samples,
  };
  const [[first]] = unpack({ $matrix: { ...SHARED, ...packed } }) as [[Quantity, Quantity]];
  assert.deepEqual(first, {
    value: 8.23e-8,
    unit: "s",
    low: 8.1e-8,
    high: 8.45e-8,
    confidence: 0.95,
    method: "median",
    samples: { n: 40, min: 8e-8, p5: 8.1e-8, p50: 8.2e-8, p95: 8.3e-8 },
    os_value: null,
    agrees: null,
  });
});

test("runs come back as pairs", () => {
  const runs = [
    [0, 1, 3],
    [2, 5, 5],
  ];
  assert.deepEqual(unpack({ layers: [{ pairs: { $pairs: runs } }] }), {
    layers: [
      {
        pairs: [
          [0, 1],
          [0, 2],
          [0, 3],
          [2, 5],
        ],
      },
    ],
  });
});

test("columns come back as the objects that they were made of", () => {
  const packed = { length: 3, $columns: { x: [1, 2, 3], note: { $same: "" } } };
  assert.deepEqual(unpack(packed), [
    { x: 1, note: "" },
    { x: 2, note: "" },
    { x: 3, note: "" },
  ]);
});

test("columns of a table come back as its rows", () => {
  assert.deepEqual(unpack({ length: 2, $rows: [["a", "b"], { $same: null }] }), [
    ["a", null],
    ["b", null],
  ]);
});

test("what is shared comes back at each of its places, also within what is shared", () => {
  const shared = [{ cells: [{ $ref: 1 }, 2] }, "a long text"];
  assert.deepEqual(unpack({ $shared: shared, $value: [{ $ref: 0 }, { $ref: 0 }, { $ref: 1 }] }), [
    { cells: ["a long text", 2] },
    { cells: ["a long text", 2] },
    "a long text",
  ]);
});

test("keys of a record that begin with a mark come back, and are not taken for packed parts", () => {
  const shared = [{ $$ref: "#/$defs/Cache" }];
  const packed = { $$matrix: [1, 2], $$$ref: 3, schema: { $ref: 0 }, $: 4 };
  const same = { length: 2, $columns: { $$ref: { $same: 5 }, $$columns: [6, 7] } };
  assert.deepEqual(unpack({ $shared: shared, $value: [packed, same] }), [
    { $matrix: [1, 2], $$ref: 3, schema: { $ref: "#/$defs/Cache" }, $: 4 },
    [
      { $ref: 5, $columns: 6 },
      { $ref: 5, $columns: 7 },
    ],
  ]);
});

test("anything else stays as it is", () => {
  assert.deepEqual(unpack([{ value: 1 }, "text", null]), [{ value: 1 }, "text", null]);
});
