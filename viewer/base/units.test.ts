import assert from "node:assert/strict";
import { test } from "node:test";
import cases from "./formatting.cases.json";
import type { Quantity } from "./payload";
import { formatCount, formatQuantity, formatValue } from "./units";

const UNDECLARED = { samples: null, os_value: null, agrees: null };

for (const { quantity, shown } of cases) {
  test(`quantity is written as in Python: ${shown}`, () => {
    const whole: Quantity = { ...quantity, ...UNDECLARED };
    assert.equal(formatQuantity(whole).replaceAll("\u00a0", " "), shown);
  });
}

test("counts have their thousands apart", () => {
  assert.deepEqual([0, 999, 12345, 10_100_000_000].map(formatCount), [
    "0",
    "999",
    "12,345",
    "10,100,000,000",
  ]);
});

test("interval is not broken across lines", () => {
  const quantity = { value: 2, unit: "s", low: 1, high: 3, confidence: 0.9, method: "", ...UNDECLARED };
  assert.equal(formatQuantity(quantity), "2 s [1,\u00a03]");
});

test("a single sample has its value and is called one; nothing else without confidence has a value", () => {
  const one = { n: 1, min: 2e-9, p5: 2e-9, p50: 2e-9, p95: 2e-9 };
  const quantity = {
    value: 2e-9,
    unit: "s",
    low: 2e-9,
    high: 2e-9,
    confidence: 0,
    method: "",
    ...UNDECLARED,
  };
  assert.equal(formatQuantity({ ...quantity, samples: one }), "2 ns, one sample");
  assert.equal(formatQuantity({ ...quantity, samples: { ...one, n: 2 } }), "not determined");
  assert.equal(formatQuantity(quantity), "not determined");
});

test("missing quantity is a dash", () => {
  assert.equal(formatQuantity(null), "–");
});

test("number that is not finite keeps its unit", () => {
  assert.equal(formatValue(NaN, "ways"), "unknown ways");
});

test("nothing at all has no prefix", () => {
  assert.equal(formatValue(0, "B/s"), "0 B/s");
});
