import assert from "node:assert/strict";
import { test } from "node:test";
import { balanceOf, reciprocalLatency } from "./balance";
import { figureOf, hpccRecord, testOf } from "./hpcc.fixture";
import { checkOf, launchOf, measured } from "./record.fixture";
import { headlinesOf, ranksOf } from "./hpcc";
import { bindingOf, machinesOf } from "./placement";
import { runOf } from "./run";
import { isOneSample, oneSample, quotientOf, ratioOf, scaled, shown } from "./quantity";
import type { HpccFacts, RankPlace } from "./record";
import { closeTicks } from "./ticks";

const HPL = testOf("hpl", [
  figureOf("WR00", "mpi", measured(4e10, "flop/s")),
  figureOf("WR01", "mpi", measured(5e10, "flop/s")),
]);

function factsOf(record: ReturnType<typeof hpccRecord>): HpccFacts {
  return record.facts as HpccFacts;
}

test("headline of HPL is the fastest case", () => {
  const [hpl] = headlinesOf(hpccRecord({ tests: [HPL] }));
  assert.equal(hpl?.quantity.value, 5e10);
});

test("a case of HPL whose check failed is no headline while another passed", () => {
  const checks = [checkOf("HPL residual of WR00"), checkOf("HPL residual of WR01", { passed: false })];
  const [hpl] = headlinesOf(hpccRecord({ tests: [{ ...HPL, checks }] }));
  assert.equal(hpl?.quantity.value, 4e10);
});

test("phases of HPL and figures of other buffers are no headlines", () => {
  const phases = testOf("hpl", [figureOf("WR00", "mpi", measured(3, "s"), { phase: "panel" })]);
  const others = testOf("effective_bandwidth", [
    figureOf("random_ring_latency", "mpi", measured(1e-7, "s"), { buffers: "rotating" }),
  ]);
  assert.deepEqual(headlinesOf(hpccRecord({ tests: [phases, others] })), []);
});

test("single, star and mpi of a test are told apart", () => {
  const fft = ["single", "star", "mpi"].map((mode, i) => figureOf("fft", mode, measured(i + 1, "flop/s")));
  const found = headlinesOf(hpccRecord({ tests: [testOf("fft", fft)] }));
  assert.deepEqual(
    found.map(({ mode, quantity }) => [mode, quantity.value]),
    [
      ["mpi", 3],
      ["star", 2],
      ["single", 1],
    ],
  );
});

test("old outputs have headlines of one sample, in base units", () => {
  const summary = { HPL_Tflops: "0.0425", MaxPingPongLatency_usec: "1.5", StarSTREAM_Triad: "-1" };
  const found = headlinesOf(hpccRecord({ summary }));
  assert.deepEqual(
    found.map(({ id, quantity }) => [id, quantity.value, isOneSample(quantity)]),
    [
      ["hpl mpi", 4.25e10, true],
      ["ping_pong_latency_max", 1.5e-6, true],
    ],
  );
});

test("summary without numbers has no headlines", () => {
  const summary = { HPL_Tflops: "-nan", StarDGEMM_Gflops: "", MPIFFT_Gflops: "inf" };
  assert.deepEqual(headlinesOf(hpccRecord({ summary })), []);
});

test("number of ranks comes from the launch, else from the summary", () => {
  assert.equal(ranksOf(factsOf(hpccRecord({ launch: launchOf({ ranks: 7 }) }))), 7);
  assert.equal(ranksOf(factsOf(hpccRecord({ summary: { CommWorldProcs: "12" } }))), 12);
  assert.equal(ranksOf(factsOf(hpccRecord({}))), null);
});

test("balance takes figures of one rank times the ranks, per 1,000 flop of HPL", () => {
  const stream = testOf("stream", [figureOf("triad", "star", measured(1e10, "B/s"))]);
  const ptrans = testOf("ptrans", [figureOf("ptrans", "mpi", measured(2e9, "B/s"))]);
  const ratios = balanceOf(hpccRecord({ tests: [HPL, stream, ptrans], launch: launchOf() }));
  assert.deepEqual(
    ratios.map(({ name, quantity }) => [name, quantity.value, quantity.unit]),
    [
      ["PTRANS", 40, "B/kflop"],
      ["STREAM triad", 400, "B/kflop"],
    ],
  );
});

test("interval of a balance holds every quotient of both intervals", () => {
  const ptrans = testOf("ptrans", [figureOf("ptrans", "mpi", measured(2e9, "B/s"))]);
  const [ratio] = balanceOf(hpccRecord({ tests: [HPL, ptrans], launch: launchOf() }));
  assert.ok(ratio);
  assert.ok(Math.abs(ratio.quantity.low - (40 * 0.9) / 1.1) < 1e-9);
  assert.ok(Math.abs(ratio.quantity.high - (40 * 1.1) / 0.9) < 1e-9);
});

test("there is no balance without HPL or without the number of ranks", () => {
  const ptrans = testOf("ptrans", [figureOf("ptrans", "mpi", measured(2e9, "B/s"))]);
  assert.deepEqual(balanceOf(hpccRecord({ tests: [ptrans], launch: launchOf() })), []);
  assert.deepEqual(balanceOf(hpccRecord({ tests: [HPL, ptrans] })), []);
});

test("reciprocal of the ring latency is more where latency is less", () => {
  const ring = testOf("effective_bandwidth", [figureOf("random_ring_latency", "mpi", measured(2e-6, "s"))]);
  const found = reciprocalLatency(hpccRecord({ tests: [ring] }));
  assert.ok(found);
  assert.equal(Math.round(found.value), 500_000);
  assert.ok(found.low < found.value && found.value < found.high);
  assert.ok(found.high < 560_000);
});

function place(rank: number, cpus: number[], boot_id = "boot", host = "one"): RankPlace {
  return { rank, host, boot_id, cpus };
}

test("machines are told apart by boot id, not by host name", () => {
  const ranks = [place(0, [0]), place(1, [1], "boot", "container"), place(2, [0], "other")];
  assert.deepEqual(
    machinesOf(ranks).map((own) => own.map(({ rank }) => rank)),
    [[0, 1], [2]],
  );
});

test("placement is verified only where no two ranks of a machine share a processor", () => {
  const apart = [place(0, [0]), place(1, [1]), place(2, [0], "other")];
  const shared = [place(0, [0, 1]), place(1, [1])];
  assert.match(bindingOf(launchOf({ placement: apart })), /^verified/);
  assert.match(bindingOf(launchOf({ placement: shared })), /share processors/);
  assert.match(bindingOf(launchOf({ placement: apart, threads: 2 })), /fewer processors than threads/);
  assert.equal(bindingOf(launchOf({ placement: [] })), "not told");
});

test("plan tells sizes with their bytes, and of old outputs what the summary has", () => {
  const plan = { hpl: [{ n: 1500, nb: 192, grid: { rows: 1, columns: 2 } }], stream_elements: 1048576 };
  const told = new Map((runOf(hpccRecord({ plan }))?.entries ?? []).map(({ name, value }) => [name, value]));
  assert.match(told.get("HPL") ?? "", /^N 1500, NB 192, grid 1 x 2, 17\.2 MiB/);
  assert.match(told.get("STREAM") ?? "", /1048576 elements of each rank's vectors, 8 MiB/);
  const summary = { HPL_N: "2560", HPL_NB: "80", HPL_nprow: "1", HPL_npcol: "4", CommWorldProcs: "4" };
  const old = new Map(
    (runOf(hpccRecord({ summary }))?.entries ?? []).map(({ name, value }) => [name, value]),
  );
  assert.match(old.get("HPL") ?? "", /^N 2560, NB 80, grid 1 x 4/);
  assert.equal(old.get("ranks"), "4");
});

test("quotient with a single sample is a single sample", () => {
  const quotient = quotientOf(measured(4, "B/s"), oneSample(2, "flop/s", ""), "B/flop");
  assert.ok(quotient && isOneSample(quotient));
  assert.equal(quotient.value, 2);
  assert.equal(shown(quotient), "2 B/flop (one sample)");
});

test("quotient over zero or over what was not determined is not told", () => {
  assert.equal(quotientOf(measured(1, "s"), oneSample(0, "s", ""), "ratio"), null);
  const open = measured(1, "s", { confidence: 0 });
  assert.equal(ratioOf(measured(1, "s"), open), null);
});

test("scaling keeps interval and samples beside the value", () => {
  const { value, low, high, unit, samples } = scaled(measured(2, "B/s"), 1000, "B/ks");
  assert.deepEqual([value, low, high, unit, samples?.n], [2000, 1800, 2200, "B/ks", 5]);
  assert.equal(samples?.p50, 2000);
});

test("close axis surrounds the data and need not hold zero", () => {
  assert.deepEqual(closeTicks(0.97, 1.04, 4), [0.96, 0.98, 1, 1.02, 1.04]);
  const around = closeTicks(1, 1, 4);
  assert.ok((around[0] ?? 1) < 1 && (around.at(-1) ?? 1) > 1);
});
