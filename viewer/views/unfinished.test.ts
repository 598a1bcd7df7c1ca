// What a page says of a run that was cut short.
import "all-views";
import assert from "node:assert/strict";
import { test } from "node:test";
import { recordOf } from "../model/record.fixture";
import type { Unfinished } from "../model/record";
import { comparisonOf, sectionsOf } from "../model/view";

const STATE: Unfinished = {
  planned: 3,
  done: 1,
  interrupted: ["clock"],
  failed: [],
  missing: ["tlb_reach"],
  what: "unfinished: 1 of 3 probes done",
  details: ["interrupted: clock", "not measured: tlb_reach"],
  next: "finish it on walnut with: groma survey --resume",
};

for (const kind of ["survey", "hpcc", "randomaccess", "astrolabe"]) {
  test(`a ${kind} that was cut short says so first, and what is missing, and how to finish it`, () => {
    const [first] = sectionsOf(recordOf(kind, {}, { unfinished: STATE }));
    assert.equal(first?.id, "verdict");
    assert.deepEqual(first.blocks[0], {
      block: "stamp",
      outcome: "warn",
      title: STATE.what,
      lines: [...STATE.details, STATE.next],
    });
  });
}

test("a comparison says which of its records are unfinished", () => {
  const records = [recordOf("survey", {}), recordOf("survey", {}, { name: "other", unfinished: STATE })];
  const [first] = comparisonOf(records);
  assert.equal(first?.id, "comparison");
  assert.deepEqual(
    first.blocks.map((one) => one.block === "stamp" && one.title),
    [`other: ${STATE.what}`],
  );
});

test("a record of a run that came to its end has no such stamp", () => {
  const blocks = sectionsOf(recordOf("survey", {})).flatMap((section) => section.blocks);
  assert.equal(
    blocks.some(({ block }) => block === "stamp"),
    false,
  );
});
