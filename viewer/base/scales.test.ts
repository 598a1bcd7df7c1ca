import assert from "node:assert/strict";
import { test } from "node:test";
import { contrast, mix, parseHex, scaleOver } from "./colour";
import { matrixData, matrixTable } from "./matrix";
import type { HeatMap, Quantity } from "./payload";
import { binaryTicks, closeTicks, countTicks, linearTicks, logTicks } from "./ticks";

function quantity(value: number, low = value, high = value): Quantity {
  const plain = { unit: "s", confidence: 0.95, method: "test", samples: null, os_value: null, agrees: null };
  return { value, low, high, ...plain };
}

test("latency axis is marked at 1, 2 and 5 around the data", () => {
  assert.deepEqual(logTicks(1.3, 118), [1, 2, 5, 10, 20, 50, 100, 200]);
});

test("wide range is marked at powers of ten only", () => {
  assert.deepEqual(logTicks(1, 9e4), [1, 10, 100, 1000, 10_000, 100_000]);
});

test("range of many powers of ten has no more marks than fit", () => {
  const ticks = logTicks(1e-15, 1e18);
  assert.ok(ticks.length <= 12 && (ticks[0] ?? 1) <= 1e-15 && (ticks.at(-1) ?? 0) >= 1e18, String(ticks));
});

test("size axis is marked at powers of two, as many as fit", () => {
  assert.deepEqual(binaryTicks(4096, 65536, 5), [4096, 8192, 16384, 32768, 65536]);
  assert.deepEqual(binaryTicks(4096, 65536, 3), [4096, 16384, 65536]);
});

test("linear axis begins at zero and ends beyond the data", () => {
  assert.deepEqual(linearTicks(5, 68, 4), [0, 20, 40, 60, 80]);
  assert.deepEqual(linearTicks(0.1, 0.3, 3), [0, 0.1, 0.2, 0.3]);
});

test("core counts are marked at whole numbers", () => {
  assert.deepEqual(countTicks(1, 8, 11), [1, 2, 3, 4, 5, 6, 7, 8]);
  const many = countTicks(1, 384, 11);
  assert.ok(many.length <= 11 && many.every(Number.isInteger));
  assert.deepEqual(countTicks(0, 262_144, 7), [0, 50_000, 100_000, 150_000, 200_000, 250_000]);
});

test("colours are logarithmic over a wide range only", () => {
  assert.equal(scaleOver([8, 300]).logarithmic, true);
  assert.equal(scaleOver([50, 130]).logarithmic, false);
  assert.equal(scaleOver([8, 300]).position(8), 0);
  assert.equal(scaleOver([8, 300]).position(300), 1);
});

test("noise does not use the whole ramp", () => {
  assert.ok(scaleOver([100, 102]).position(102) < 0.1);
});

test("equal values and an empty list have a place on the ramp", () => {
  assert.equal(scaleOver([5, 5]).position(5), 0);
  assert.equal(scaleOver([0, 0]).position(0), 0);
});

test("ramp is interpolated and bounded", () => {
  const ramp = [parseHex("#000000"), parseHex("#ff8800")];
  assert.deepEqual(mix(ramp, 0.5), [128, 68, 0]);
  assert.deepEqual(mix(ramp, 7), [255, 136, 0]);
});

test("contrast of black on white is 21", () => {
  assert.equal(Math.round(contrast(parseHex("#000000"), parseHex("#ffffff"))), 21);
});

test("close axis surrounds the data and need not hold zero", () => {
  assert.deepEqual(closeTicks(0.97, 1.04, 4), [0.96, 0.98, 1, 1.02, 1.04]);
  const around = closeTicks(1, 1, 4);
  assert.ok((around[0] ?? 1) < 1 && (around.at(-1) ?? 1) > 1);
});

function heatMap(cells: HeatMap["cells"]): HeatMap {
  const names = { row_title: "from", column_title: "to", rows: ["0", "1"], columns: ["0", "1"] };
  return { kind: "heat", ...names, cells, borders: [], span: [], absent: "not measured" };
}

test("matrix table has one row per measured cell", () => {
  const { rows } = matrixTable(
    heatMap([
      [null, quantity(1)],
      [quantity(2), null],
    ]),
  );
  assert.deepEqual(
    rows.map(([from, to]) => [from, to]),
    [
      ["0", "1"],
      ["1", "0"],
    ],
  );
});

test("copied matrix keeps value, bounds, unit and gaps", () => {
  assert.deepEqual(matrixData(heatMap([[null, quantity(2, 1, 3)]])), {
    rows: ["0", "1"],
    columns: ["0", "1"],
    unit: "s",
    method: "test",
    value: [[null, 2]],
    low: [[null, 1]],
    high: [[null, 3]],
  });
});
