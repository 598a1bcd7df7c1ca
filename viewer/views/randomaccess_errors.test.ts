import "all-views";
import assert from "node:assert/strict";
import { test } from "node:test";
import { STRATEGIES, strategyOf, studyRecord } from "../model/randomaccess.fixture";
import { assertWhole, drawingIn, figureIn, figuresIn, stampIn, tilesIn } from "../model/view.fixture";
import { comparisonOf, sectionsOf } from "../model/view";

const STUDY = sectionsOf(studyRecord());

test("study of errors has its sections in reading order, and no tree of facts", () => {
  assert.deepEqual(
    STUDY.map(({ id }) => id),
    ["verdict", "results", "environment", "method", "samples"],
  );
});

test("every figure of a study has a name of its own, a caption, rows and data", () => {
  assertWhole(figuresIn(STUDY));
});

test("verdict names the exact strategies, and tells what no synchronisation costs and gains", () => {
  const { outcome, title, lines } = stampIn(STUDY);
  assert.equal(outcome, "good");
  assert.match(title, /Exact in all of 6 runs: serial and atomic/);
  assert.match(lines[0] ?? "", /unsynchronised left wrong words in 2 of 3 runs, 20 ppm ± 26\.5/);
  assert.match(lines[0] ?? "", /largest 50 ppm; the rules allow 10000 ppm/);
  assert.match(lines[0] ?? "", /2 x \[1\.80,\s2\.20\] as fast as one thread/);
  assert.match(lines[1] ?? "", /atomic was the fastest: only 0\.25/);
});

test("verdict of a strategy that must be exact and was not is bad", () => {
  const broken = [...STRATEGIES, strategyOf("owner", 1, [0, 0, 4])];
  const { outcome, title, lines } = stampIn(sectionsOf(studyRecord({ strategies: broken, success: false })));
  assert.equal(outcome, "bad");
  assert.match(title, /owner must not lose an update and did/);
  assert.deepEqual(lines, ["owner: 4 wrong words in 1 of 3 runs, 0 allowed."]);
});

test("gain that the interval leaves open is told as such", () => {
  const { lines } = stampIn(
    sectionsOf(studyRecord({ strategies: [strategyOf("unsynchronised", 1, [1, 1])] })),
  );
  assert.match(lines[0] ?? "", /leaves open which is faster/);
});

test("tile of the error rate has mean, deviation and runs", () => {
  const [errors, loose] = tilesIn(STUDY);
  assert.deepEqual([errors?.value, errors?.unit], ["20", "ppm"]);
  assert.match(errors?.interval ?? "", /± 26\.5 ppm, standard deviation/);
  assert.match(errors?.lines.join() ?? "", /mean of 3 runs,2 of them with wrong words/);
  assert.deepEqual([loose?.value, loose?.unit], ["0.200", "GUP/s"]);
});

test("trade-off places each strategy at its relative rate and its error rate", () => {
  const { spots, y } = drawingIn(STUDY, "randomaccess-trade-off", "scatter");
  assert.equal(y.scale, "zero-log10");
  assert.deepEqual(
    spots.map((spot) => [spot.name, spot.x.value, Math.round(spot.y.value), Math.round(spot.y.high)]),
    [
      ["serial", 1, 0, 0],
      ["unsynchronised", 2, 20, 50],
      ["atomic", 0.5, 0, 0],
    ],
  );
});

test("without a serial run the trade-off is relative to threads that do not synchronise", () => {
  const strategies = STRATEGIES.slice(1).map((one) => ({ ...one, to_serial: null }));
  const { x, spots } = drawingIn(
    sectionsOf(studyRecord({ strategies })),
    "randomaccess-trade-off",
    "scatter",
  );
  assert.match(x.title, /do not synchronise/);
  assert.deepEqual(
    spots.map((spot) => spot.x.value),
    [1, 0.25],
  );
});

test("a strategy alone has no trade-off", () => {
  const alone = sectionsOf(studyRecord({ strategies: STRATEGIES.slice(0, 1) }));
  assert.ok(figuresIn(alone).every(({ id }) => id !== "randomaccess-trade-off"));
});

test("error rates are a dot for each run with mean and deviation, over an axis that has zero", () => {
  const { strips, x, marks } = drawingIn(STUDY, "randomaccess-error-rates", "strips");
  const [lane] = strips[1]?.lanes ?? [];
  assert.equal(x.scale, "zero-log10");
  assert.deepEqual(lane?.dots.map(Math.round), [0, 10, 50]);
  assert.deepEqual([lane.value, lane.low, Math.round(lane.high)], [20, 0, 46]);
  assert.equal(strips[0]?.lanes[0]?.told, "none in 3 runs");
  assert.deepEqual(marks, [10000]);
});

test("rates have a dot for each run and can be seen relative to one thread", () => {
  const { strips } = drawingIn(STUDY, "randomaccess-rates", "strips");
  assert.deepEqual(
    strips[0]?.lanes[0]?.dots.map((rate) => Number(rate.toFixed(3))),
    [0.1, 0.05, 0.025],
  );
  const relative = figureIn(STUDY, "randomaccess-to-serial");
  assert.deepEqual(
    relative.table().rows.map(([name]) => name),
    ["serial", "unsynchronised", "atomic"],
  );
});

test("study of a single run has no deviation", () => {
  const strategies = [strategyOf("unsynchronised", 2, [7])];
  const sections = sectionsOf(studyRecord({ strategies }));
  assert.equal(tilesIn(sections)[0]?.interval, "one run");
  const row = figureIn(sections, "randomaccess-error-rates").table().rows[0] ?? [];
  assert.deepEqual(row.slice(2, 8), [1, 1, 7, "7 ppm", "–", null]);
});

test("facts that are none of a study are shown as a tree", () => {
  const sections = sectionsOf({ ...studyRecord(), facts: { later: 1 } });
  assert.ok(figureIn(sections, "facts"));
});

test("several studies show wrong words over the updates of a run, in their order", () => {
  const more = studyRecord({ updates: 16e6, strategies: [strategyOf("unsynchronised", 2, [100, 300])] });
  const sections = comparisonOf([{ ...more, name: "more" }, studyRecord()]);
  const { series } = drawingIn(sections, "randomaccess-errors-over-updates", "lines");
  assert.deepEqual(
    series.map(({ name, points }) => [name, points.map(({ x, y, note }) => [x, Math.round(y), note])]),
    [
      [
        "unsynchronised",
        [
          [4, 20, "one"],
          [16, 200, "more"],
        ],
      ],
    ],
  );
  assertWhole(figuresIn(sections));
  const rates = figureIn(sections, "randomaccess-studies-headlines").table().rows;
  assert.deepEqual(rates[0]?.[0], "unsynchronised, updates in a second");
});

test("studies without any wrong word have no drawing of them", () => {
  const exact = studyRecord({ strategies: STRATEGIES.filter((one) => one.exact) });
  const sections = comparisonOf([exact, { ...exact, name: "two" }]);
  assert.ok(figuresIn(sections).every(({ id }) => id !== "randomaccess-errors-over-updates"));
  assert.ok(figureIn(sections, "randomaccess-studies-ratios"));
});
