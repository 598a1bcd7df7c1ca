import "all-views";
import assert from "node:assert/strict";
import { test } from "node:test";
import { lookupOf, ownerRecord, runRecord } from "../model/randomaccess.fixture";
import { checkOf, launchOf, measured } from "../model/record.fixture";
import { comparisonOf, sectionsOf } from "../model/view";
import {
  assertWhole,
  drawingIn,
  figureIn,
  figuresIn,
  notesIn,
  stampIn,
  tilesIn,
} from "../model/view.fixture";

const RUN = sectionsOf(runRecord());

test("run has its sections in reading order, and no tree of facts", () => {
  assert.deepEqual(
    RUN.map(({ id }) => id),
    ["verdict", "results", "run", "environment", "method", "samples"],
  );
});

test("every figure of a run and of a comparison has a name of its own, a caption, rows and data", () => {
  assertWhole(figuresIn([...RUN, ...comparisonOf([runRecord(), runRecord({}, { name: "two" })])]));
});

test("stamp says that the table was verified and how many words were wrong", () => {
  const { outcome, title, lines } = stampIn(RUN);
  assert.deepEqual([outcome, title, lines], ["good", "Validation passed: 0 wrong words, all 2 checks", []]);
});

test("stamp names each failed check with its value and its limit, and the table has it first", () => {
  const wrong = checkOf("wrong words", { value: 3, limit: 0, passed: false });
  const pending = checkOf("updates pending", { value: 9, limit: 1024 });
  const failed = sectionsOf(runRecord({ checks: [pending, wrong], errors: 3, success: false }));
  const { outcome, title, lines } = stampIn(failed);
  assert.equal(outcome, "bad");
  assert.match(title, /1 of 2 checks/);
  assert.match(lines[0] ?? "", /wrong words is 3, at most 0 is allowed/);
  assert.deepEqual(figureIn(failed, "checks").table().rows[0], [
    "RandomAccess",
    "wrong words",
    "3",
    "0",
    "✗ FAILED",
  ]);
});

test("run that was cut short is shown with what there is, and not as verified", () => {
  const nothing = { gups: null, seconds: null, updates: null, errors: null, look_ahead_max: null };
  const cut = runRecord(
    { ...nothing, exchange: null, loads: [], checks: [], success: null, launch: null, plan: {} },
    { samples: {} },
  );
  const sections = sectionsOf(cut);
  assert.equal(stampIn(sections).outcome, "warn");
  assert.match(stampIn(sections).title, /was not verified/);
  assert.deepEqual(tilesIn(sections), []);
  assertWhole(figuresIn([...sections, ...comparisonOf([cut, { ...cut, name: "two" }])]));
});

test("tiles tell rate, time, wrong words, look-ahead and what is sent for an update", () => {
  assert.deepEqual(
    tilesIn(RUN).map(({ title, value, unit }) => [title, value, unit]),
    [
      ["Updates in a second", "0.0500", "GUP/s"],
      ["Time of a repetition", "20", "ms"],
      ["Wrong words", "0", ""],
      ["Look-ahead, most", "919", "of 1024"],
      ["Sent for an update", "8", "B"],
    ],
  );
  const [rate, , , , sent] = tilesIn(RUN);
  assert.match(rate?.interval ?? "", /\[0\.0450,\s0\.0550\] GUP\/s, 94\s%, 5 samples/);
  assert.deepEqual(sent?.lines, [
    "in 0.0100 messages",
    "800 B in a message",
    "0 handed on through shared memory",
  ]);
});

test("look-ahead is that of a node where a node has the limit", () => {
  for (const [mode, holder] of [
    [1, "core"],
    [6, "node"],
    [7, "core"],
    [8, "node"],
  ] as const) {
    const ahead = tilesIn(sectionsOf(runRecord({ mapping_mode: mode })))[3];
    assert.match(ahead?.lines.join() ?? "", new RegExp(`by a ${holder}`), String(mode));
  }
});

test("loads are bars of work and waiting for each role, with intervals", () => {
  const { strips, bars, legend } = drawingIn(RUN, "randomaccess-loads", "strips");
  assert.equal(bars, true);
  assert.deepEqual(
    legend.map(({ name }) => name),
    ["worked", "waited"],
  );
  assert.deepEqual(
    strips.map(({ name, lanes }) => [name, lanes.map(({ value }) => value)]),
    [
      ["generate (1 rank)", [0.015, 0.005]],
      ["update (1 rank)", [0.005, 0.015]],
    ],
  );
  assert.ok(strips.every(({ lanes }) => lanes.every(({ low, high }) => low < high)));
  assert.deepEqual(figureIn(RUN, "randomaccess-loads").table().rows[0]?.slice(4), ["75\u00a0%"]);
});

test("repetitions are dots over their median", () => {
  const { strips } = drawingIn(RUN, "steadiness", "strips");
  const dots = strips[0]?.lanes[0]?.dots.map((dot) => Number(dot.toPrecision(6)));
  assert.deepEqual(dots, [0.8, 1, 1.2]);
});

test("samples stand in the unit of the tile", () => {
  const [rate] = tilesIn(RUN);
  const { strips } = drawingIn(RUN, "steadiness", "strips");
  assert.equal(rate?.unit, "GUP/s");
  assert.match(strips[0]?.lanes[0]?.told ?? "", /^0\.0500 GUP\/s/);
  assert.deepEqual(figureIn(RUN, "steadiness").table().rows[0]?.[5], "0.0400 GUP/s");
});

test("ranks are one line for each role, and what is zero for all of them is left out", () => {
  const { series } = drawingIn(RUN, "ranks-time-worked", "lines");
  assert.deepEqual(
    series.map(({ name, points }) => [name, points.map(({ x, y }) => [x, y])]),
    [
      ["generate", [[0, 0.015]]],
      ["update", [[1, 0.005]]],
    ],
  );
  const { what, table } = figureIn(RUN, "ranks-time-worked");
  assert.match(what, /Least: rank 1 \(one; update\), 5 ms.*Most: rank 0 \(one; generate\), 15 ms/);
  assert.equal(table().columns.at(-1), "role");
  assert.ok(figuresIn(RUN).every(({ id }) => !id.includes("handed")));
});

test("roles keep their colour on machines that have only some of them", () => {
  const placement = [0, 1].map((rank) => ({ rank, host: `node${rank}`, boot_id: `${rank}`, cpus: [0] }));
  const spread = sectionsOf(runRecord({ launch: launchOf({ placement, nodes: 2 }) }));
  const { strips, legend } = drawingIn(spread, "machines-time-worked", "strips");
  assert.deepEqual(
    strips.map(({ lanes }) => lanes.map(({ tone }) => tone)),
    [[0], [1]],
  );
  assert.deepEqual(
    legend.map(({ name }) => name),
    ["generate", "update"],
  );
});

test("plan tells what was run and where, without what RandomAccess has not", () => {
  const told = new Map(
    figureIn(RUN, "plan")
      .table()
      .rows.map(([name, value]) => [name, value]),
  );
  assert.equal(told.get("algorithm"), "route on a grid of 2x1");
  assert.equal(told.get("table"), "1048576 words, 8 MiB");
  assert.equal(told.get("ranks"), "2");
  assert.ok(!told.has("BLAS") && !told.has("budget"));
});

const SLOW = runRecord({
  gups: measured(0.025, "GUP/s"),
  algorithm: "direct",
  grid: [],
  exchange: { messages: 0.04, bytes: 16, handed: 0 },
});
const COMPARED = comparisonOf([runRecord(), { ...SLOW, name: "two" }]);

test("runs are compared by rate with ratio, and by what they send for an update", () => {
  const [first, second] = figureIn(COMPARED, "randomaccess-runs").table().rows;
  assert.deepEqual(first?.slice(0, 3), ["one", "route on a grid of 2x1", 2]);
  assert.deepEqual(second?.slice(5), [0, 919, "0.0400", "16 B", "0"]);
  const ratio = drawingIn(COMPARED, "randomaccess-ratios", "strips").strips[0]?.lanes[0];
  assert.equal(ratio?.value, 0.5);
  assert.ok(ratio.low < 0.5 && 0.5 < ratio.high);
  const sent = drawingIn(COMPARED, "randomaccess-sent-messages", "strips");
  assert.deepEqual(
    sent.strips.map(({ lanes }) => lanes[0]?.value),
    [0.01, 0.04],
  );
});

test("comparison says in what the runs differed, and leaves out what no run sends", () => {
  const names = figureIn(COMPARED, "randomaccess-differences")
    .table()
    .rows.map(([name]) => name);
  assert.deepEqual(names, ["algorithm"]);
  assert.ok(figuresIn(COMPARED).every(({ id }) => !id.includes("handed")));
});

test("a run beside records of other kinds is not compared", () => {
  assert.deepEqual(comparisonOf([runRecord(), ownerRecord([lookupOf(3, 2)])]), []);
});

const SEARCHED = { predicted: null, searched: measured(6e-10, "s") };
const OWNERS = sectionsOf(ownerRecord([lookupOf(3, 3), lookupOf(96, 0.99), lookupOf(12288, 2, SEARCHED)]));

test("record of lookups has verdict and results, and no tree of facts", () => {
  assert.deepEqual(
    OWNERS.map(({ id }) => id),
    ["verdict", "results", "environment", "method"],
  );
  assertWhole(figuresIn(OWNERS));
});

test("tiles tell the least and the most that a division costs", () => {
  assert.deepEqual(
    tilesIn(OWNERS).map(({ value, lines }) => [value, lines[0]]),
    [
      ["0.990", "as long as prediction, with 96 parts"],
      ["3", "as long as prediction, with 3 parts"],
    ],
  );
});

test("lookups are lines over the number of parts, one for each way", () => {
  const { series } = drawingIn(OWNERS, "randomaccess-lookups", "lines");
  assert.deepEqual(
    series.map(({ name, points }) => [name, points.map(({ x }) => x)]),
    [
      ["division", [3, 96, 12288]],
      ["prediction", [3, 96]],
      ["search", [12288]],
    ],
  );
});

test("ratios name the way without a division and mark 1", () => {
  const { strips, marks } = drawingIn(OWNERS, "randomaccess-owner-ratios", "strips");
  assert.deepEqual(marks, [1]);
  assert.deepEqual(
    strips.map(({ name }) => name),
    ["3 parts, prediction", "96 parts, prediction", "12288 parts, search"],
  );
});

test("record without lookups says so", () => {
  const empty = sectionsOf(ownerRecord([]));
  assert.match(notesIn(empty).join(), /No lookup/);
});

test("lookups of several records are compared number by number", () => {
  const other = { ...ownerRecord([lookupOf(3, 6)]), name: "two" };
  const sections = comparisonOf([ownerRecord([lookupOf(3, 3)]), other]);
  assertWhole(figuresIn(sections));
  const rows = figureIn(sections, "randomaccess-owners-headlines").table().rows;
  assert.deepEqual(
    rows.map(([name, , , , verdict]) => [name, verdict]),
    [
      ["3 parts, by division", "higher"],
      ["3 parts, by prediction", "indistinguishable"],
    ],
  );
});
