import assert from "node:assert/strict";
import { test } from "node:test";
import { layoutLineAxis, layoutAxis, tickLabels } from "./axis";
import { labelled } from "./labels";
import type { Axis } from "./payload";

const ZERO_LOG = { title: "", unit: "ppm", scale: "zero-log10", close: false } as const;

test("axis with a place for zero keeps zero apart from the least positive value", () => {
  const { ticks, share } = layoutAxis([0, 3, 5000], ZERO_LOG, 8);
  assert.deepEqual([ticks[0], share(0)], [0, 0]);
  assert.ok(share(3) > 0.05);
  assert.ok((ticks[1] ?? 0) <= 3 && (ticks.at(-1) ?? 0) >= 5000);
});

test("axis with a place for zero is logarithmic beyond it", () => {
  const { share } = layoutAxis([0, 1, 100], ZERO_LOG, 8);
  assert.ok(Math.abs(share(100) - share(10) - (share(10) - share(1))) < 1e-12);
  assert.equal(share(100), 1);
});

test("linear axis of bytes has marks that are round in binary units", () => {
  const axis = { title: "", unit: "B", scale: "linear", close: false } as const;
  const labels = (high: number) => {
    const { ticks } = layoutAxis([0, high], axis, 5);
    return ticks.map(tickLabels(ticks, axis));
  };
  assert.deepEqual(labels(1000 * 2 ** 20), ["0 MiB", "200 MiB", "400 MiB", "600 MiB", "800 MiB", "1000 MiB"]);
  assert.deepEqual(labels(1010 * 2 ** 20), ["0 GiB", "0.2 GiB", "0.4 GiB", "0.6 GiB", "0.8 GiB", "1 GiB"]);
  assert.deepEqual(labels(900), ["0 B", "200 B", "400 B", "600 B", "800 B", "1000 B"]);
});

test("what is less than zero lies at zero", () => {
  const { share } = layoutAxis([-5, 1, 10], ZERO_LOG, 8);
  assert.equal(share(-5), 0);
});

test("axis over nothing but zeros has the one tick", () => {
  const { ticks, share } = layoutAxis([0, 0], ZERO_LOG, 8);
  assert.deepEqual([ticks, share(0)], [[0], 0]);
});

test("linear and logarithmic axes reach from their first to their last tick", () => {
  for (const scale of ["linear", "log10"] as const) {
    const { ticks, share } = layoutAxis([2, 40], { title: "", unit: "s", scale, close: false }, 8);
    assert.deepEqual([share(ticks[0] ?? 0), share(ticks.at(-1) ?? 0)], [0, 1]);
    assert.ok(share(2) >= 0 && share(40) <= 1);
  }
});

test("axis of sizes ends with its values, axis of counts has room beyond them", () => {
  const sizes = layoutLineAxis([4096, 65536], { title: "", unit: "B", scale: "log2", close: false }, 11);
  assert.deepEqual([sizes.share(4096), sizes.share(16384), sizes.share(65536)], [0, 0.5, 1]);
  const counts = layoutLineAxis([1, 4], { title: "", unit: "", scale: "linear", close: false }, 11);
  assert.deepEqual(counts.ticks, [1, 2, 3, 4]);
  assert.ok(counts.share(1) > 0 && counts.share(4) < 1);
});

test("close axis of a line shows a change that is small beside the values", () => {
  for (const unit of ["s", ""]) {
    const axis = { title: "", unit, scale: "linear", close: true } as const;
    const { ticks, share } = layoutLineAxis([98, 100], axis, 6);
    assert.ok((ticks[0] ?? 0) > 90);
    assert.ok(share(100) - share(98) > 0.5);
  }
});

test("axis over nothing has places all the same", () => {
  for (const scale of ["linear", "log2", "log10"] as const) {
    const { ticks, share } = layoutLineAxis([], { title: "", unit: "s", scale, close: false }, 6);
    assert.ok(ticks.every((tick) => Number.isFinite(share(tick))));
  }
});

test("zero lies at the beginning of a logarithmic axis", () => {
  const axis = { title: "", unit: "ratio", scale: "log10", close: true } as const;
  const { share } = layoutAxis([1, 100], axis, 5);
  assert.deepEqual([0, -1, 1, 100].map(share), [0, 0, 0, 1]);
});

test("logarithmic axis over values and zeros is that of the values", () => {
  for (const scale of ["log2", "log10"] as const) {
    const axis = { title: "", unit: "B", scale, close: false };
    const { ticks, share } = layoutLineAxis([0, -3, 1, 64], axis, 8);
    assert.deepEqual(ticks, layoutLineAxis([1, 64], axis, 8).ticks);
    assert.deepEqual([share(0), share(-3)], [0, 0]);
  }
});

test("linear axis over zeros, or over what is less, has places all the same", () => {
  for (const values of [[0, 0], [-5, -1], [-5, 20], [-3]]) {
    const { ticks, share } = layoutAxis(values, { title: "", unit: "s", scale: "linear", close: false }, 6);
    assert.ok(ticks.length > 1 && ticks.includes(0), String(values));
    assert.ok(values.every((value) => share(value) >= 0 && share(value) <= 1));
  }
});

function labelsOver(values: number[], axis: Partial<Axis>): string[] {
  const whole: Axis = { title: "", unit: "", scale: "linear", close: false, ...axis };
  const { ticks } = layoutLineAxis(values, whole, 6);
  return ticks.map(tickLabels(ticks, whole));
}

test("marks that are close have labels that differ", () => {
  const history = { unit: "flop/s", close: true };
  assert.deepEqual(labelsOver([304.1e9, 304.7e9], history).slice(0, 3), [
    "304.1 Gflop/s",
    "304.2 Gflop/s",
    "304.3 Gflop/s",
  ]);
  assert.deepEqual(labelsOver([0.9991, 1.0003], { unit: "ratio", close: true }).slice(0, 2), [
    "0.999",
    "0.9992",
  ]);
});

test("labels of marks have a unit and no more digits than they need", () => {
  assert.deepEqual(labelsOver([0, 80e9], { unit: "B/s" }).slice(0, 2), ["0 GB/s", "20 GB/s"]);
  assert.deepEqual(labelsOver([1e-9, 118e-9], { unit: "s", scale: "log10" }).slice(0, 2), ["1 ns", "2 ns"]);
  assert.equal(labelsOver([0, 600e3], { unit: "B" })[1], "100 KiB");
  const bytes = { title: "", unit: "B", scale: "linear", close: false } as const;
  assert.equal([0, 100e3, 200e3].map(tickLabels([0, 100e3, 200e3], bytes))[1], "97.7 KiB");
});

const ROOM = { x: 0, y: 0, width: 400, height: 200 };

test("name stands right of its point where there is room, else left", () => {
  const [left, right] = labelled(
    [
      { x: 50, y: 100, width: 60 },
      { x: 380, y: 100, width: 60 },
    ],
    ROOM,
  );
  assert.ok((left?.x ?? 0) > 50);
  assert.ok((right?.x ?? 0) + 60 < 380);
});

test("names of points at one place cover neither each other nor the points", () => {
  const boxes = labelled(
    Array.from({ length: 7 }, () => ({ x: 200, y: 180, width: 60 })),
    ROOM,
  );
  for (const [i, one] of boxes.entries()) {
    assert.ok(one.y >= 0 && one.y + one.height <= 200);
    assert.ok(one.x > 206 || one.x + one.width < 194 || one.y > 186 || one.y + one.height < 174);
    for (const other of boxes.slice(i + 1))
      assert.ok(Math.abs(one.y - other.y) >= one.height || Math.abs(one.x - other.x) >= one.width);
  }
});
