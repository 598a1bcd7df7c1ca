import "all-views";
import assert from "node:assert/strict";
import { test } from "node:test";
import example from "../../tests/data/example-network.json";
import type { NetworkFacts, PageRecord, SurveyFacts } from "../model/record";
import { recordOf } from "../model/record.fixture";
import { sectionsOf } from "../model/view";
import { assertWhole, drawingIn, figureIn, figuresIn, notesIn } from "../model/view.fixture";

/** JSON imports know tuples only as lists. */
const FACTS = example.facts as unknown as SurveyFacts;
const NETWORK = networkOf(FACTS);

function networkOf({ network }: SurveyFacts): NetworkFacts {
  assert.ok(network);
  return network;
}

function withNetwork(changes: Partial<NetworkFacts>): PageRecord {
  return recordOf("survey", { ...FACTS, network: { ...NETWORK, ...changes } });
}

const SECTIONS = sectionsOf(withNetwork({})).filter(({ id }) => id === "network");

test("every part of a network has a figure with caption, rows and data", () => {
  assertWhole(figuresIn(SECTIONS));
  const ids = figuresIn(SECTIONS).map(({ id }) => id);
  for (const part of [
    "layers",
    "loggp",
    "curve-time",
    "concurrency",
    "pairs",
    "distance",
    "access",
    "receiver",
  ]) {
    assert.ok(ids.includes(`network-${part}`), part);
  }
});

test("a node without a network has no such section", () => {
  const sections = sectionsOf(recordOf("survey", { ...FACTS, network: null }));
  assert.ok(!sections.some(({ id }) => id === "network"));
});

test("parts that were not measured are left out", () => {
  const nothing = { layers: [], pairs: null, distance: null, access: null, receiver: null, topology: null };
  assert.ok(!sectionsOf(withNetwork(nothing)).some(({ id }) => id === "network"));
});

test("distance draws every statistic beside what link shares give", () => {
  const { series } = drawingIn(SECTIONS, "network-distance", "lines");
  const by = new Map(series.map(({ name, points }) => [name, points]));
  assert.equal(by.get("mean (ratDist)")?.length, 4);
  assert.deepEqual(
    by.get("by link shares (inferred)")?.map(({ x, y }) => [x, y]),
    [1, 2, 3, 4].map((d) => [d, d]),
  );
  for (const { low, y, high } of by.get("mean (ratDist)") ?? []) {
    assert.ok((low ?? y) <= y && y <= (high ?? y));
  }
});

test("exchange at half of the nodes is marked", () => {
  const distance = NETWORK.distance;
  assert.ok(distance);
  const sections = sectionsOf(
    withNetwork({ distance: { ...distance, exchange: [false, false, false, true] } }),
  );
  const { ranges } = drawingIn(sections, "network-distance", "lines");
  assert.deepEqual(ranges, [{ name: "exchange", low: 4, high: 4, kind: "declared" }]);
});

test("curves leave the empty message out of their axis, not out of their table", () => {
  const { series, ranges } = drawingIn(SECTIONS, "network-curve-time", "lines");
  assert.ok(series.every(({ points }) => points.every(({ x }) => x > 0)));
  assert.ok(
    figureIn(SECTIONS, "network-curve-time")
      .table()
      .rows.some(([, bytes]) => bytes === 0),
  );
  assert.deepEqual(
    ranges.map(({ low, high }) => [low, high]),
    [[8192, 16384]],
  );
});

test("pairs are parted where the next node begins", () => {
  const { borders, rows } = drawingIn(SECTIONS, "network-pairs", "heat");
  assert.equal(rows.length, 18);
  assert.deepEqual(borders, [2, 4, 6, 8, 10, 12, 14, 16]);
});

test("the receiver's limit is marked where the sum stops to grow", () => {
  const { series, ranges } = drawingIn(SECTIONS, "network-receiver", "lines");
  assert.deepEqual(
    series.map(({ name }) => name),
    ["sending to nobody", "sending to 1", "sending to 2"],
  );
  assert.equal(ranges.length, 1);
});

test("a structure is told as an inference with its confidence", () => {
  const [first] = notesIn(SECTIONS);
  assert.match(first ?? "", /Inferred from times, not declared: probably a ring of 9 \(confidence/);
});

test("a sample of pairs tells what it may have missed", () => {
  const pairs = NETWORK.pairs;
  assert.ok(pairs);
  const design = { kind: "sampled", measured: 600, total: 523776, least_share: 0.05, risk: 0.05 };
  const notes = notesIn(sectionsOf(withNetwork({ pairs: { ...pairs, design } }))).join(" ");
  assert.match(notes, /600 of 523776 pairs of ranks were measured\. A layer that holds 5.% of all pairs/);
});
