// Small records for tests: parts as they are wanted, the rest empty.
import type { CheckResult, Launch, PageRecord, PageSeries, Quantity } from "./record";

export function recordOf(kind: string, facts: unknown, changes: Partial<PageRecord> = {}): PageRecord {
  return {
    name: "one",
    schema: "groma.record/1",
    kind,
    created: "2025-03-01T00:00:00+00:00",
    command: ["groma", kind],
    build: { version: "0", compiler: null, flags: null, options: {} },
    environment: {},
    parameters: {},
    samples: {},
    facts,
    warnings: [],
    unfinished: null,
    ...changes,
  };
}

export function measured(value: number, unit: string, changes: Partial<Quantity> = {}): Quantity {
  const samples = { n: 5, min: value * 0.9, p5: value * 0.9, p50: value, p95: value * 1.1 };
  const bounds = { low: value * 0.9, high: value * 1.1, confidence: 0.94 };
  return { value, unit, ...bounds, method: "median", samples, os_value: null, agrees: null, ...changes };
}

export function checkOf(name: string, changes: Partial<CheckResult> = {}): CheckResult {
  return { name, value: 0.5, limit: 16, passed: true, ...changes };
}

export function launchOf(changes: Partial<Launch> = {}): Launch {
  const placement = [0, 1].map((rank) => ({ rank, host: "one", boot_id: "boot", cpus: [rank] }));
  const shape = { ranks: 2, nodes: 1, threads: 1, binding: "core", inter_node: false };
  const names = {
    launcher: "mpirun",
    command: "mpirun -n 2 groma-hpcc",
    mpi: "Open MPI 4",
    blas: "OpenBLAS 0.3",
  };
  return { ...shape, ...names, placement, ...changes };
}

/** Samples of a test as the page carries them. */
export function samplesOf(probe: string, series: PageSeries[]): PageRecord["samples"] {
  const counted = { case_count: series.length, sample_count: 5, cases: [], summary: [] };
  const run = { disturbance: null, parameters: {}, seed: 1, elapsed: 1, ended: "stable", error: null };
  return { [probe]: { probe, series, ...counted, ...run } };
}

/** One row of samples per rank, all ranks in each repetition. */
export function rankSeries(labels: Record<string, unknown>, byRank: number[][]): PageSeries {
  const sorted = byRank.map((values) => [...values].sort((a, b) => a - b));
  const repetitions = (byRank[0] ?? []).map((_, i): [number, number, number] => {
    const now = byRank.map((values) => values[i] ?? 0);
    return [Math.min(...now), now.reduce((a, b) => a + b) / now.length, Math.max(...now)];
  });
  return {
    labels,
    over: ["rank"],
    members: byRank.map((_, rank) => [rank]),
    low: sorted.map((values) => values[0] ?? 0),
    median: sorted.map((values) => values[Math.floor(values.length / 2)] ?? 0),
    high: sorted.map((values) => values.at(-1) ?? 0),
    repetitions,
  };
}
