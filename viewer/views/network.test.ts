import "all-views";
import assert from "node:assert/strict";
import { test } from "node:test";
import example from "../../tests/data/example-network.json";
import type { NetworkFacts, PageRecord, PairLatencies, Quantity, SurveyFacts } from "../model/record";
import { recordOf } from "../model/record.fixture";
import { comparisonOf, sectionsOf } from "../model/view";
import { assertWhole, drawingIn, figureIn, figuresIn, notesIn, tilesIn } from "../model/view.fixture";

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
    "receiver-limits",
    "slow",
    "launches",
    "placement-1",
  ]) {
    assert.ok(ids.includes(`network-${part}`), part);
  }
});

test("a node without a network has no such section", () => {
  const sections = sectionsOf(recordOf("survey", { ...FACTS, network: null }));
  assert.ok(!sections.some(({ id }) => id === "network"));
});

test("parts that were not measured are left out", () => {
  const measured = { layers: [], pairs: null, distance: null, access: null, receiver: null };
  const nothing = { ...measured, topology: null, launches: [] };
  assert.ok(!sectionsOf(withNetwork(nothing)).some(({ id }) => id === "network"));
});

test("whatever an interrupted survey lacks, figures of the rest are whole", () => {
  const { layers, pairs, distance, access, receiver } = NETWORK;
  assert.ok(pairs && distance && access && receiver);
  const bare = { latency: null, bandwidth: null, pairs: [], switches: [] };
  const unknown = { L: null, o: null, g: null, G: null, send: null, receive: null, notes: [] };
  const noStatistic = { slowest: null, harmonic: null, bandwidth: [] };
  const lacking: Partial<NetworkFacts>[] = [
    { layers: layers.map((layer) => ({ ...layer, ...bare })) },
    { layers: layers.map((layer) => ({ ...layer, loggp: unknown, curve: [], concurrency: [] })) },
    { layers: [], pairs: { ...pairs, latency: [] } },
    { pairs: { ...pairs, hosts: [] } },
    { distance: { ...distance, ...noStatistic, per_rank: [], hosts: [], loads: [], loads_of: null } },
    { distance: { ...distance, ratio: [distance.ratio[0] ?? null, null, null, null] } },
    { access: { ...access, ...noStatistic } },
    { receiver: { ...receiver, limits: [], host: "" } },
    { receiver: { ...receiver, phases: receiver.phases.slice(0, 1) } },
    { launches: NETWORK.launches.map((one) => ({ ...one, launch: { ...one.launch, placement: [] } })) },
  ];
  for (const changes of lacking) {
    const figures = figuresIn(sectionsOf(withNetwork(changes)));
    assertWhole(figures);
    for (const { id, drawing } of figures)
      if (drawing?.kind === "lines")
        assert.ok(
          drawing.series.some(({ points }) => points.length > 0),
          id,
        );
  }
});

test("distance draws every statistic beside what link shares give", () => {
  const { series } = drawingIn(SECTIONS, "network-distance", "lines");
  const by = new Map(series.map(({ name, points }) => [name, points]));
  assert.equal(by.get("mean (ratDist)")?.length, 4);
  assert.deepEqual(
    by.get("by link shares (inferred ring of 9)")?.map(({ x, y }) => [x, y]),
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

test("pairs of different nodes can be seen alone, in colours of their own", () => {
  const { cells } = drawingIn(SECTIONS, "network-pairs-apart", "heat");
  const shown = cells.flat().filter((cell) => cell !== null);
  assert.equal(shown.length, 18 * 16);
  assert.ok(shown.every(({ value }) => value > 2e-5));
});

test("each pair has one row", () => {
  const { rows } = figureIn(SECTIONS, "network-pairs").table();
  assert.equal(rows.length, (18 * 17) / 2);
});

test("a sample of pairs is drawn by blocks of ranks, each at its median pair", () => {
  const kept = (i: number, j: number) => (i + j) % 3 === 0;
  const latency = NETWORK.pairs?.latency.map((row, i) => row.map((cell, j) => (kept(i, j) ? cell : null)));
  const sections = sectionsOf(sampled(NETWORK, { latency: latency ?? [] }));
  const { rows, cells, borders } = drawingIn(sections, "network-pairs", "heat");
  assert.deepEqual([rows[0], rows.length, borders], ["0–3", 5, []]);
  assert.ok(cells.flat().every((cell) => cell !== null));
  assert.ok(cells.every((row, i) => row.every((cell, j) => cell === cells[j]?.[i])));
});

test("of so many ranks that there is no matrix, pairs have the latency of their layer", () => {
  const { layers } = NETWORK;
  const { rows } = figureIn(sectionsOf(sampled(NETWORK, { latency: [] })), "network-pairs").table();
  const counted = layers.reduce((sum, layer) => sum + layer.pairs.length, 0);
  assert.equal(rows.length, counted);
  const latencies = new Set(layers.map(({ latency }) => latency));
  assert.ok(rows.every(([, , cell]) => latencies.has(cell as Quantity)));
});

/** As if its pairs were a sample. */
function sampled({ pairs, ...others }: NetworkFacts, changes: Partial<PairLatencies>): PageRecord {
  assert.ok(pairs);
  const design = { kind: "sampled", measured: 153, total: 523776, least_share: 0.05, risk: 0.05 };
  return withNetwork({ ...others, pairs: { ...pairs, design, ...changes } });
}

test("slow parts are told with what they cost and what they rest on", () => {
  const { rows } = figureIn(SECTIONS, "network-slow").table();
  assert.deepEqual(
    rows.map(([kind, where, , , structure]) => [kind, where, structure]),
    [["link", "node03 (3) – node04 (4)", "ring of 9"]],
  );
});

test("every protocol switch of a layer is in its row", () => {
  const [layer] = NETWORK.layers;
  const [first] = layer?.switches ?? [];
  assert.ok(layer && first);
  const again = { ...first, bytes: { ...first.bytes, value: 2 ** 20, low: 2 ** 19, high: 2 ** 20 } };
  const layers = [{ ...layer, switches: [first, again] }];
  const [row] = figureIn(sectionsOf(withNetwork({ layers })), "network-layers").table().rows;
  assert.match(typeof row?.[3] === "string" ? row[3] : "", /16 KiB.*1 MiB/);
});

test("layers that switch between the same sizes share a band", () => {
  const switches = NETWORK.layers[0]?.switches ?? [];
  const layers = NETWORK.layers.map((layer) => ({ ...layer, switches }));
  const { ranges } = drawingIn(sectionsOf(withNetwork({ layers })), "network-curve-time", "lines");
  assert.deepEqual(
    ranges.map(({ name }) => name),
    ["switch, same node and between nodes"],
  );
});

test("what a fit of LogGP notes stands as a sentence beside its layer", () => {
  const [layer] = NETWORK.layers;
  assert.ok(layer?.loggp);
  const layers = [{ ...layer, loggp: { ...layer.loggp, notes: ["g is below o"] } }];
  assert.ok(notesIn(sectionsOf(withNetwork({ layers }))).includes("Same node: g is below o."));
});

test("loads of the known structure are in the table, with what its links carry", () => {
  const { columns, rows } = figureIn(SECTIONS, "network-distance").table();
  assert.deepEqual(columns.slice(5), [
    "hops",
    "messages on the busiest link",
    "by link shares",
    "by link rate",
  ]);
  assert.deepEqual(rows[3]?.slice(5), [4, 4, 4, null]);
});

test("a profile without a known structure has no columns for loads", () => {
  const distance = NETWORK.distance;
  assert.ok(distance);
  const sections = sectionsOf(withNetwork({ distance: { ...distance, loads: [] } }));
  assert.equal(figureIn(sections, "network-distance").table().columns.length, 5);
});

test("lines of many points have bands, because bars would hide each other", () => {
  const distance = NETWORK.distance;
  assert.ok(distance);
  const ratio = Array.from({ length: 512 }, () => distance.ratio[1] ?? null);
  const sections = sectionsOf(withNetwork({ distance: { ...distance, ratio } }));
  const [mean, slowest] = drawingIn(sections, "network-distance", "lines").series;
  assert.deepEqual([mean?.spread, slowest?.spread], ["band", "bars"]);
});

test("tiles tell the farthest layer, the largest distance and one receiver", () => {
  const verdict = sectionsOf(withNetwork({})).filter(({ id }) => id === "verdict");
  const tiles = tilesIn(verdict).filter(({ title }) => /Message|Less|takes in/.test(title));
  assert.deepEqual(
    tiles.map(({ title, lines }) => [title, lines[0]]),
    [
      ["Message latency", "between nodes"],
      ["Message bandwidth", "between nodes"],
      ["Less bandwidth far away", "at distance 4 than at 1"],
      ["One node takes in", "node05, from several senders"],
    ],
  );
});

test("networks of several records are compared", () => {
  const slower = withNetwork({ layers: NETWORK.layers.slice(0, 1) });
  const sections = comparisonOf([withNetwork({}), { ...slower, name: "other" }]);
  const names = figureIn(sections, "headlines")
    .table()
    .rows.map(([name]) => name);
  for (const name of [
    "message latency, same node",
    "bandwidth at distance 1 over that at 4",
    "one node takes in",
  ])
    assert.ok(names.includes(name), name);
  assert.ok(!names.includes("bandwidth at distance 1 over that at 3"));
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

test("no confidence is told as certainty, and the order of ranks is told", () => {
  const [first] = notesIn(SECTIONS);
  assert.match(
    first ?? "",
    /\(confidence over 99\.9.%\).*Nodes of neighbouring ranks are neighbours in it\./,
  );
});

test("groups of nodes are told by their hosts, with what links between them carry", () => {
  const topology = NETWORK.topology;
  assert.ok(topology);
  const tree = {
    ...topology,
    kind: "tree",
    shape: [3, 6],
    groups: [
      [0, 1, 2],
      [3, 4, 5, 6, 7, 8],
    ],
    uplink: 0.5,
  };
  const sections = sectionsOf(withNetwork({ topology: tree }));
  assert.match(notesIn(sections).join("\n"), /a tree of 2 groups of 3 to 6 .* carries 0\.500 times what/);
  const { rows } = figureIn(sections, "network-groups").table();
  assert.deepEqual(rows[0], [1, 3, "node00, node01, node02"]);
});

test("a sample of pairs tells what it may have missed", () => {
  const pairs = NETWORK.pairs;
  assert.ok(pairs);
  const design = { kind: "sampled", measured: 600, total: 523776, least_share: 0.05, risk: 0.05 };
  const notes = notesIn(sectionsOf(withNetwork({ pairs: { ...pairs, design } }))).join(" ");
  assert.match(notes, /600 of 523776 pairs of ranks were measured\. A layer that holds 5.% of all pairs/);
});
