import "all-views";
import assert from "node:assert/strict";
import { test } from "node:test";
import example from "../../tests/data/example-profile.json";
import type { Figure } from "../model/figure";
import type { NodeFacts, PageRecord, SurveyFacts } from "../model/record";
import { recordOf } from "../model/record.fixture";
import { comparisonOf, sectionsOf } from "../model/view";
import { assertWhole, figureIn, figuresIn, notesIn } from "../model/view.fixture";

/** Facts of a run that measured nothing: lists are empty, anything else is null. */
const NOTHING = Object.fromEntries(
  Object.entries(example.facts.node).map(([part, value]) => [part, Array.isArray(value) ? [] : null]),
) as unknown as NodeFacts;

const SIZES = [4096, 32768, 1048576];

const CURVE: PageRecord["samples"][string] = {
  probe: "load_latency",
  case_count: 6,
  sample_count: 60,
  series: [],
  cases: ["huge", "small"].flatMap((pages) => SIZES.map((size_bytes) => ({ unit: "s", size_bytes, pages }))),
  summary: [1, 2, 3, 4, 5, null].map((ns) =>
    ns === null ? null : { n: 10, min: ns, p5: ns, p50: ns + 1, p95: ns + 2 },
  ),
  disturbance: null,
  parameters: { depth: "quick" },
  seed: 1,
  elapsed: 2,
  ended: "stable",
  error: null,
};

function record({ kind = "survey", ...changes }: Partial<PageRecord> = {}): PageRecord {
  return recordOf(kind, { node: NOTHING, declared: null, network: null }, changes);
}

/** The example's facts; JSON imports know tuples only as lists. */
const FACTS = example.facts as unknown as SurveyFacts;
const FULL = record({ facts: FACTS, samples: { load_latency: CURVE }, environment: example.environment });

function withNode(changes: Partial<NodeFacts>): PageRecord {
  return record({ facts: { ...FACTS, node: { ...NOTHING, ...changes } } });
}

function figure(id: string, sections = sectionsOf(FULL)): Figure {
  return figureIn(sections, id);
}

test("full survey has all of its sections in reading order", () => {
  assert.deepEqual(
    sectionsOf(FULL).map(({ id }) => id),
    ["verdict", "machine", "latency", "memory", "cores", "numa", "environment", "method", "samples"],
  );
});

test("every figure has a name of its own, a caption, rows and data", () => {
  assertWhole(figuresIn(sectionsOf(FULL)));
});

test("survey in which nothing was measured says so for every part", () => {
  const notes = notesIn(sectionsOf(record())).join("\n");
  for (const part of [
    "Load latency",
    "Cache levels",
    "TLB",
    "bandwidth",
    "Contention",
    "Core-to-core",
    "memory of",
  ]) {
    assert.match(notes, new RegExp(part));
  }
});

for (const part of Object.keys(NOTHING) as (keyof NodeFacts)[]) {
  test(`survey that measured only ${part} is shown`, () => {
    const sections = sectionsOf(withNode({ [part]: FACTS.node[part] }));
    assert.ok(figuresIn(sections).every(({ table }) => table().columns.length > 0));
  });
}

test("latency curve has a series per page mode and skips cases without samples", () => {
  const { drawing, table } = figure("load-latency");
  assert.equal(drawing?.kind, "lines");
  assert.deepEqual(
    drawing.series.map(({ points }) => points.length),
    [3, 2],
  );
  assert.equal(table().rows.length, 5);
});

test("cache brackets are marked, and the system's size where it differs", () => {
  const { drawing } = figure("load-latency");
  assert.equal(drawing?.kind, "lines");
  assert.deepEqual(
    drawing.ranges.map(({ name, kind }) => `${name} ${kind}`),
    ["L1d measured", "L2 measured", "L3 measured", "L3 by the OS declared"],
  );
});

test("bandwidth table has a row per point drawn", () => {
  const { drawing, table } = figure("bandwidth");
  assert.equal(drawing?.kind, "lines");
  assert.equal(
    table().rows.length,
    drawing.series.reduce((sum, { points }) => sum + points.length, 0),
  );
});

test("variant with non-temporal stores shares the colour of its kernel", () => {
  const { drawing } = figure("bandwidth");
  assert.equal(drawing?.kind, "lines");
  const tone = (name: string) => drawing.series.find((series) => series.name === name)?.tone;
  assert.equal(tone("triad_nt"), tone("triad"));
  assert.notEqual(tone("triad"), tone("copy"));
});

test("machine picture spans shared caches over their threads", () => {
  const { drawing } = figure("machine");
  assert.equal(drawing?.kind, "machine");
  const [first, second] = drawing.packages;
  assert.deepEqual([first?.columns, second?.columns], [4, 4]);
  const spans = first?.bands.map(({ role, boxes }) => [role, boxes.map(({ from, span }) => [from, span])]);
  const single = [0, 1, 2, 3].map((from) => [from, 1]);
  assert.deepEqual(spans, [
    ["core", single],
    ["level1", single],
    ["level2", single],
    ["level3", [[0, 4]]],
    ["memory", [[0, 4]]],
  ]);
});

test("cores that the run could not use are faded, memory without cores is kept", () => {
  const { declared } = FACTS;
  assert.ok(declared);
  const far = { logical: 2, physical: 4, memory_bytes: 2 ** 34, memory_side_cache_bytes: null, cores: [] };
  const limited = { ...declared, allowed: [0, 1], numa: [...declared.numa, far] };
  const { drawing } = figure("machine", sectionsOf(record({ facts: { ...FACTS, declared: limited } })));
  assert.equal(drawing?.kind, "machine");
  const faded = drawing.packages[0]?.bands[0]?.boxes.map((box) => box.faded);
  assert.deepEqual(faded, [false, false, true, true]);
  assert.equal(drawing.packages.at(-1)?.bands[0]?.boxes[0]?.text, "NUMA 2 · 16 GiB");
});

test("each NUMA experiment that ran can be chosen, first and second touch apart", () => {
  const numa = sectionsOf(FULL).find(({ id }) => id === "numa");
  const choice = numa?.blocks.find((block) => block.block === "choice");
  const labels = choice?.options.map(({ label }) => label) ?? [];
  assert.equal(labels.length, 10);
  assert.ok(
    labels.includes("Sequential read, first touch") && labels.includes("Sequential read, second touch"),
  );
});

test("virtual machine is called one in the verdict", () => {
  const virtualisation = { hypervisor: "kvm", container: null };
  const [verdict] = sectionsOf({ ...FULL, environment: { virtualisation } });
  const tiles = verdict?.blocks.find((block) => block.block === "tiles");
  assert.match(tiles?.lead ?? "", /virtual machine \(kvm\)/);
});

test("warnings and failed probes are told with what to do", () => {
  const advice = { code: "memory.unstable", what: "unstable", next: "stop other programs" };
  const failed = {
    ...CURVE,
    ended: "failed",
    error: { code: "probe.no_memory", what: "no memory", next: "free some" },
  };
  const [verdict] = sectionsOf(record({ warnings: [advice], samples: { load_latency: failed } }));
  const callouts = verdict?.blocks.find((block) => block.block === "callouts");
  assert.deepEqual(
    callouts?.advice.map(({ code }) => code),
    ["memory.unstable", "probe.no_memory"],
  );
});

test("a failed probe whose error is a warning too is told once", () => {
  const error = { code: "probe.needs_cores", what: "it takes two cores", next: "use two" };
  const failed = { ...CURVE, ended: "failed", error };
  const [verdict] = sectionsOf(record({ warnings: [error], samples: { load_latency: failed } }));
  const callouts = verdict?.blocks.find((block) => block.block === "callouts");
  assert.deepEqual(callouts?.advice, [error]);
});

test("one core is counted as one, and its bandwidth told once", () => {
  const alone = (FACTS.node.memory?.bandwidth.triad ?? []).filter(({ cores }) => cores === 1);
  const memory = FACTS.node.memory && { ...FACTS.node.memory, bandwidth: { triad: alone } };
  const declared = FACTS.declared && { ...FACTS.declared, allowed: [0] };
  const node = { ...FACTS.node, memory };
  const [verdict] = sectionsOf(record({ facts: { ...FACTS, node, declared } }));
  const tiles = verdict?.blocks.find((block) => block.block === "tiles");
  assert.match(tiles?.lead ?? "", /could use 1 thread\./);
  const bandwidth = tiles?.tiles.find(({ title }) => title === "Memory bandwidth");
  assert.deepEqual(bandwidth?.lines, ["triad on 1 core"]);
});

test("every quantity of the facts is accounted for in the method table", () => {
  const { rows } = figure("method").table();
  const entries = (path: unknown) => Number(/\((\d+)\)$/.exec(JSON.stringify(path).slice(0, -1))?.[1] ?? 1);
  const counted = rows.reduce((sum, [path]) => sum + entries(path), 0);
  const text = JSON.stringify(FACTS);
  assert.equal(counted, text.match(/"confidence":/g)?.length);
});

test("record of an unknown kind shows facts, environment, quantities and samples", () => {
  const rate = { value: 4.2e10, unit: "flop/s", low: 4e10, high: 4.4e10, confidence: 0.9, method: "median" };
  const whole = { ...rate, samples: null, os_value: null, agrees: null };
  const other = record({
    kind: "hpcc",
    facts: { rate: whole, grid: [1, 2] },
    samples: { load_latency: CURVE },
  });
  assert.deepEqual(
    sectionsOf(other).map(({ id }) => id),
    ["facts", "environment", "method", "samples"],
  );
  assert.equal(figure("facts", sectionsOf(other)).table().rows.length, 2);
});

test("one record is not compared", () => {
  assert.deepEqual(comparisonOf([FULL]), []);
});

test("comparison overlays the curves and gives ratios to the first record", () => {
  const sections = comparisonOf([FULL, { ...FULL, name: "two" }, record({ name: "empty" })]);
  const { drawing } = figure("latency-comparison", sections);
  assert.equal(drawing?.kind, "lines");
  assert.equal(drawing.series.length, 4);
  const { columns, rows } = figure("headlines", sections).table();
  assert.equal(columns.length, 2 + 3 * 2);
  const frequency = rows.find(([name]) => name === "core frequency");
  assert.equal(frequency?.[4], "indistinguishable");
  assert.deepEqual(frequency.slice(5), [null, null, null]);
});
