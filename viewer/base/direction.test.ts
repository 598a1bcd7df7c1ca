import assert from "node:assert/strict";
import { test } from "node:test";
import { readable } from "./direction";
import cases from "./spelling.cases.json";

test("text from the left stays as it is", () => {
  for (const text of ["node00: 8 ranks [1.29,\u00a01.31] µs", "超级计算机", "👩‍🔬 é ﬁ", "a\tb\nc", ""])
    assert.equal(readable(text), text);
});

test("a name from the right ends before what follows it", () => {
  assert.equal(readable("on \u05e2\u05d1: 8 ranks"), "on \u05e2\u05d1\u200e: 8 ranks");
  assert.equal(readable("\u05e2\u05d1 \u0645\u0631 · 2025"), "\u05e2\u05d1 \u0645\u0631\u200e · 2025");
});

test("marks that turn what follows, and controls, are spelled", () => {
  assert.equal(readable("abc\u202egnp.exe\u2066"), "abc\\u202egnp.exe\\u2066");
  assert.equal(readable("\u001b[31m\u0085"), "\\x1b[31m\\x85");
});

for (const { text, shown } of cases) {
  test(`what has no shape is spelled as in Python: ${shown}`, () => {
    assert.equal(readable(text), shown);
  });
}

test("readable text stays as it is", () => {
  for (const text of [
    "on \u05e2\u05d1 \u0645\u0631: 8 ranks",
    "\u05e2\u200f 1",
    "\u05e2\u200e\u200e a\u200eb",
    "x\u202e",
  ])
    assert.equal(readable(readable(text)), readable(text));
});
