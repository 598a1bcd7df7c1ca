import "all-views";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Figure, Stamp, Tile } from "../model/figure";
import { figureOf, hpccRecord, messageSeries, testOf } from "../model/hpcc.fixture";
import { checkOf, launchOf, measured, rankSeries, samplesOf } from "../model/record.fixture";
import { oneSample } from "../model/quantity";
import type { PageRecord } from "../model/record";
import { comparisonOf, sectionsOf } from "../model/view";
import { assertWhole, figureIn, figuresIn, stampIn, tilesIn } from "../model/view.fixture";

const HPL = testOf("hpl", [figureOf("WR00", "mpi", measured(4e10, "flop/s"))], {
  checks: [checkOf("HPL residual of WR00")],
});
const TRIAD = testOf("stream", [
  figureOf("triad", "star", measured(1e10, "B/s")),
  figureOf("triad", "single", measured(1.3e10, "B/s")),
]);
const SERIES = rankSeries({ unit: "B/s", series: "triad", mode: "star" }, [
  [10, 11, 12],
  [20, 21, 22],
]);
const CURVE = [1, 1024].map((bytes) =>
  figureOf("time", "mpi", measured(1e-6, "s"), {
    ...{ purpose: "curve", pattern: "pair", exchange: "ping_pong", buffers: "reused", bytes },
    ...{ client: 0, server: 1 },
  }),
);
const FULL = hpccRecord(
  {
    tests: [HPL, TRIAD, testOf("effective_bandwidth", CURVE)],
    success: true,
    launch: launchOf(),
    plan: { hpl: [{ n: 1500, nb: 192, grid: { rows: 1, columns: 2 } }] },
  },
  {
    samples: {
      ...samplesOf("stream", [SERIES]),
      ...samplesOf("effective_bandwidth", [
        messageSeries(
          { pattern: "pair", exchange: "ping_pong", bytes: 8 },
          ["client", "server"],
          [
            [[0, 1], 1e-6],
            [[1, 0], 2e-6],
          ],
        ),
        messageSeries({ pattern: "random_ring", exchange: "sendrecv", bytes: 8 }, ["ring"], [[[1], 3e-6]]),
        messageSeries({ pattern: "natural_ring", exchange: "sendrecv", bytes: 8 }, ["ring"], [[[0], 2e-6]]),
      ]),
    },
  },
);

function figure(id: string, sections = sectionsOf(FULL)): Figure {
  return figureIn(sections, id);
}

function stampOf(record: PageRecord): Stamp {
  return stampIn(sectionsOf(record));
}

function tilesOf(record: PageRecord): Tile[] {
  return tilesIn(sectionsOf(record));
}

test("run of the suite has its sections in reading order, and no tree of facts", () => {
  assert.deepEqual(
    sectionsOf(FULL).map(({ id }) => id),
    ["verdict", "results", "balance", "messages", "run", "environment", "method", "samples"].filter(
      (id) => id !== "balance" || figuresIn(sectionsOf(FULL)).some((one) => one.id === "hpcc-balance"),
    ),
  );
  assert.ok(figuresIn(sectionsOf(FULL)).some(({ id }) => id === "hpcc-balance"));
});

test("every figure of the suite has a name of its own, a caption, full rows and data", () => {
  const figures = figuresIn([...sectionsOf(FULL), ...comparisonOf([FULL, { ...FULL, name: "two" }])]);
  assertWhole(figures);
});

test("stamp says that all checks passed", () => {
  const { outcome, title, lines } = stampOf(FULL);
  assert.deepEqual([outcome, lines], ["good", []]);
  assert.match(title, /all 1 check of 3 tests/);
});

test("stamp names each failed check with its value and its limit", () => {
  const checks = [
    checkOf("residual", { passed: false, value: 43 }),
    checkOf("other", { passed: false, value: null }),
  ];
  const { outcome, title, lines } = stampOf(
    hpccRecord({ tests: [testOf("hpl", [], { checks })], success: false }),
  );
  assert.equal(outcome, "bad");
  assert.match(title, /2 of 2 checks/);
  assert.match(
    lines[0] ?? "",
    /HPL: residual is 43\.00, at most 16 is allowed|HPL: residual is 43, at most 16 is allowed/,
  );
  assert.match(lines[1] ?? "", /other is not a number/);
});

test("stamp says which tests of the plan were not begun", () => {
  const plan = { tests: ["hpl", "fft", "random_access"] };
  const { lines } = stampOf(hpccRecord({ tests: [HPL], success: null, plan }));
  assert.deepEqual(lines, ["Not begun: FFT, RandomAccess."]);
});

test("record without HPL has no shape in the Kiviat diagram", () => {
  const part = hpccRecord({ tests: [TRIAD] }, { name: "part" });
  const ring = ["random_ring_bandwidth", "natural_ring_bandwidth"].map((series) =>
    figureOf(series, "mpi", measured(1e9, "B/s")),
  );
  const whole = hpccRecord({ tests: [HPL, TRIAD, testOf("effective_bandwidth", ring)], launch: launchOf() });
  const { drawing } = figure("hpcc-kiviat", comparisonOf([whole, part, { ...whole, name: "two" }]));
  assert.equal(drawing?.kind, "radar");
  assert.deepEqual(
    drawing.shapes.map(({ name, tone }) => [name, tone]),
    [
      ["one", 0],
      ["two", 2],
    ],
  );
});

test("quantities are named after test, series and mode, points of a curve as a list", () => {
  const names = figure("method")
    .table()
    .rows.map(([name]) => name);
  assert.deepEqual(names, [
    "HPL WR00, mpi",
    "STREAM triad, star",
    "STREAM triad, single",
    "Messages time, mpi[0]",
    "Messages time, mpi[1]",
  ]);
});

test("stamp says which tests were cut short", () => {
  const { outcome, lines } = stampOf(hpccRecord({ tests: [HPL, { ...TRIAD, done: false }], success: null }));
  assert.equal(outcome, "warn");
  assert.match(lines.join(), /Cut short: STREAM/);
});

test("tile has unit, interval, confidence and number of samples", () => {
  const [hpl] = tilesOf(FULL);
  assert.deepEqual([hpl?.title, hpl?.value, hpl?.unit], ["HPL", "40", "Gflop/s"]);
  assert.match(hpl?.interval ?? "", /\[36,\s44\] Gflop\/s, 94\s%, 5 samples/);
});

test("tile heads the star value and tells the single one below", () => {
  const triad = tilesOf(FULL).find(({ title }) => title === "STREAM triad");
  assert.equal(triad?.value, "10");
  assert.deepEqual(triad.lines, ["each rank, all at once", "one rank alone: 13 GB/s"]);
});

test("old output shows its values as one sample each", () => {
  const summary = { HPL_Tflops: "0.0425", Success: "1", CommWorldProcs: "4", PTRANS_GBs: "1.7" };
  const old = hpccRecord({ summary, success: true });
  const [hpl] = tilesOf(old);
  assert.deepEqual([hpl?.value, hpl?.unit, hpl?.interval], ["42.5", "Gflop/s", "one sample, no interval"]);
  const rows = figure("hpcc-summary", sectionsOf(old)).table().rows;
  assert.deepEqual(
    rows.map(([name, , value]) => [name, value]),
    [
      ["HPL", "42.5 Gflop/s (one sample)"],
      ["PTRANS", "1.70 GB/s (one sample)"],
    ],
  );
});

test("figure of one sample is told as such in every table", () => {
  const single = hpccRecord({
    tests: [testOf("hpl", [figureOf("WR00", "mpi", oneSample(4e10, "flop/s", "median"))])],
  });
  assert.equal(figure("hpcc-figures", sectionsOf(single)).table().rows[0]?.[3], "40 Gflop/s (one sample)");
  assert.equal(figure("method", sectionsOf(single)).table().rows[0]?.[1], "40 Gflop/s (one sample)");
});

test("record without any fact is shown with what there is", () => {
  const sections = sectionsOf(hpccRecord());
  assert.deepEqual(
    sections.map(({ id }) => id),
    ["verdict", "run", "environment"],
  );
});

test("test that was cut before its first sample has a row", () => {
  const cut = hpccRecord({ tests: [testOf("fft", [], { done: false })] });
  assert.deepEqual(figure("hpcc-figures", sectionsOf(cut)).table().rows[0]?.slice(0, 2), [
    "FFT (cut short)",
    null,
  ]);
});

test("samples are drawn over their median, one dot for each repetition", () => {
  const { drawing, table } = figure("steadiness");
  assert.equal(drawing?.kind, "strips");
  const [lane] = drawing.strips[0]?.lanes ?? [];
  assert.deepEqual(
    lane?.dots.map((dot) => Number(dot.toFixed(4))),
    [15, 16, 17].map((mean) => Number((mean / 16).toFixed(4))),
  );
  assert.equal(table().rows.length, 3);
});

test("ranks stand side by side with host and processors", () => {
  const { drawing, table, what } = figure("ranks-stream-triad");
  assert.equal(drawing?.kind, "lines");
  assert.deepEqual(
    drawing.series[0]?.points.map(({ x, y, low, high }) => [x, y, low, high]),
    [
      [0, 11, 10, 12],
      [1, 21, 20, 22],
    ],
  );
  assert.deepEqual(table().rows[1]?.slice(0, 3), [1, "one", "1"]);
  assert.match(what, /Slowest: rank 0 \(one\), 11 B\/s, 31\.3\s% below/);
});

test("a thousand ranks are drawn as a band", () => {
  const ranks = Array.from({ length: 1000 }, (_, rank) => [rank + 1, rank + 2]);
  const wide = { ...FULL, samples: samplesOf("stream", [rankSeries(SERIES.labels, ranks)]) };
  const { drawing, table } = figure("ranks-stream-triad", sectionsOf(wide));
  assert.equal(drawing?.kind === "lines" && drawing.series[0]?.spread, "band");
  assert.equal(table().rows.length, 1000);
});

test("ranks of several machines are gathered machine by machine", () => {
  const placement = [0, 1].map((rank) => ({ rank, host: `node${rank}`, boot_id: `${rank}`, cpus: [0] }));
  const spread = hpccRecord({ launch: launchOf({ placement, nodes: 2 }) }, { samples: FULL.samples });
  const { drawing, table } = figure("machines-stream-triad", sectionsOf(spread));
  assert.equal(drawing?.kind, "strips");
  assert.deepEqual(
    drawing.strips.map(({ name, lanes }) => [name, lanes[0]?.dots]),
    [
      ["node0", [11]],
      ["node1", [21]],
    ],
  );
  assert.deepEqual(table().rows[1], ["node1", 1, "21 B/s", 1, "21 B/s", 1, "21 B/s"]);
  assert.ok(figuresIn(sectionsOf(FULL)).every(({ id }) => !id.startsWith("machines")));
});

test("other buffers are told as ratios to those of the suite", () => {
  const series = "natural_ring_bandwidth";
  const states = [
    figureOf(series, "mpi", measured(1e10, "B/s")),
    figureOf(series, "mpi", measured(2e10, "B/s"), { buffers: "reused_huge" }),
    figureOf(series, "mpi", measured(5e9, "B/s"), { buffers: "rotating" }),
  ];
  const { drawing } = figure(
    "hpcc-buffers",
    sectionsOf(hpccRecord({ tests: [testOf("effective_bandwidth", states)] })),
  );
  assert.equal(drawing?.kind, "strips");
  assert.deepEqual(
    drawing.strips[0]?.lanes.map(({ value, tone }) => [value, tone]),
    [
      [2, 1],
      [0.5, 2],
    ],
  );
});

test("HPL is told as a share of DGEMM on all ranks", () => {
  const dgemm = testOf("dgemm", [figureOf("dgemm", "star", measured(2.5e10, "flop/s"))]);
  const [hpl] = tilesOf(hpccRecord({ tests: [HPL, dgemm], launch: launchOf() }));
  assert.match(hpl?.lines.join() ?? "", /80\s% of DGEMM on all ranks/);
});

test("conditions of the messages are not drawn among the figures", () => {
  const skew = rankSeries({ unit: "s", series: "clock_uncertainty", mode: "mpi" }, [[1e-7, 2e-7]]);
  const own = hpccRecord({}, { samples: samplesOf("effective_bandwidth", [SERIES, skew]) });
  const { drawing, table } = figure("steadiness", sectionsOf(own));
  assert.equal(drawing?.kind === "strips" && drawing.strips.length, 1);
  assert.equal(table().rows.length, 5);
});

test("pairs of few ranks are a matrix, client by server", () => {
  const { drawing } = figure("hpcc-pairs-latency");
  assert.equal(drawing?.kind, "heat");
  assert.deepEqual(
    drawing.cells.map((row) => row.map((cell) => cell?.value ?? null)),
    [
      [null, 1e-6],
      [2e-6, null],
    ],
  );
});

test("pairs of many ranks are sorted from best to worst", () => {
  const pairs = Array.from({ length: 100 }, (_, i): [number[], number] => [[i, i + 1], (100 - i) * 1e-6]);
  const series = messageSeries({ pattern: "pair", bytes: 2_000_000 }, ["client", "server"], pairs);
  const many = hpccRecord({}, { samples: samplesOf("effective_bandwidth", [series]) });
  const { drawing } = figure("hpcc-pairs-bandwidth", sectionsOf(many));
  assert.equal(drawing?.kind, "lines");
  const points = drawing.series[0]?.points ?? [];
  assert.equal(points.length, 100);
  assert.ok(points.every(({ y }, i) => i === 0 || y >= (points[i - 1]?.y ?? 0)));
  assert.equal(points[0]?.note, "ranks 0 and 1");
});

test("natural and random rings of one way are one line, the natural one first", () => {
  const { drawing } = figure("hpcc-rings-8");
  assert.equal(drawing?.kind, "lines");
  assert.deepEqual(
    drawing.series.map(({ name, points }) => [name, points.map(({ x }) => x)]),
    [["sendrecv", [0, 1]]],
  );
});

test("curve over message size is told as time and as bytes over it", () => {
  const { drawing } = figure("hpcc-curves-bandwidth-reused");
  assert.equal(drawing?.kind, "lines");
  const last = drawing.series[0]?.points[1];
  assert.equal(Math.round((last?.y ?? 0) / 1e6), 1024);
  assert.ok((last?.low ?? 0) < (last?.y ?? 0) && (last?.y ?? 0) < (last?.high ?? 0));
});

test("sizes of curves are no rows of the table of all figures", () => {
  assert.equal(figure("hpcc-figures").table().rows.length, 4);
});

test("ranks are drawn on their processors, shared masks once, overlaps below", () => {
  const placement = [
    { rank: 0, host: "one", boot_id: "b", cpus: [0, 1, 4] },
    { rank: 1, host: "one", boot_id: "b", cpus: [0, 1, 4] },
    { rank: 2, host: "one", boot_id: "b", cpus: [1] },
  ];
  const { drawing } = figure("placement", sectionsOf(hpccRecord({ launch: launchOf({ placement }) })));
  assert.equal(drawing?.kind, "machine");
  const [machine] = drawing.packages;
  assert.equal(machine?.columns, 3);
  assert.deepEqual(
    machine.bands.map(({ boxes }) => boxes.map(({ from, span, text }) => [from, span, text])),
    [[[0, 3, "0-1"]], [[1, 1, "2"]]],
  );
});

test("runs are compared with ratio and verdict, differences and balance", () => {
  const faster = testOf("hpl", [figureOf("WR00", "mpi", measured(8e10, "flop/s"))]);
  const other = hpccRecord({ ...(FULL.facts as object), tests: [faster, TRIAD] }, { name: "two" });
  const sections = comparisonOf([FULL, other]);
  const rows = figure("hpcc-headlines", sections).table().rows;
  assert.deepEqual(
    rows.map(([name, , , , verdict]) => [name, verdict]),
    [
      ["HPL (mpi)", "higher"],
      ["STREAM triad (star)", "indistinguishable"],
      ["STREAM triad (single)", "indistinguishable"],
    ],
  );
  const { drawing } = figure("hpcc-ratios", sections);
  assert.equal(drawing?.kind, "strips");
  assert.equal(drawing.strips[0]?.lanes[0]?.value, 2);
});

test("comparison with a single sample leaves open which is larger", () => {
  const old = hpccRecord({ summary: { HPL_Tflops: "0.08" } }, { name: "old" });
  const [row] = figure("hpcc-headlines", comparisonOf([FULL, old])).table().rows;
  assert.deepEqual(row?.slice(2), ["80 Gflop/s (one sample)", "2 x (one sample)", "open: one sample"]);
});

test("what differed between runs is told, what was alike is not", () => {
  const other = hpccRecord({ ...(FULL.facts as object), launch: launchOf({ ranks: 4 }) }, { name: "two" });
  const rows = figure("hpcc-differences", comparisonOf([FULL, other])).table().rows;
  assert.deepEqual(rows, [["ranks", "2", "4"]]);
});

test("records of other kinds beside runs of the suite are not in their comparison", () => {
  const survey: PageRecord = { ...FULL, kind: "survey", name: "survey", facts: { node: { caches: [] } } };
  const sections = comparisonOf([FULL, survey, { ...FULL, name: "two" }]);
  assert.deepEqual(figure("hpcc-headlines", sections).table().columns, [
    "quantity",
    "one",
    "two",
    "ratio",
    "verdict",
  ]);
  assert.deepEqual(comparisonOf([FULL, survey]), []);
});
