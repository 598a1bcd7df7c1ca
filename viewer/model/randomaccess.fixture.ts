// Small records of RandomAccess for tests.
import type {
  ErrorFacts,
  ErrorRate,
  Load,
  OwnerLookup,
  PageRecord,
  PageSeries,
  RandomAccessFacts,
  Strategy,
} from "./record";
import { checkOf, launchOf, measured, rankSeries, recordOf, samplesOf } from "./record.fixture";

/** Of a table of a million words, so that wrong words are parts per million. */
const TABLE_WORDS = 1e6;

function errorRate(wrongWords: number[]): ErrorRate {
  const rates = wrongWords.map((words) => words / TABLE_WORDS);
  const sorted = [...rates].sort((a, b) => a - b);
  const mean = rates.reduce((a, b) => a + b, 0) / rates.length;
  const squares = rates.reduce((sum, rate) => sum + (rate - mean) ** 2, 0);
  const deviation = rates.length > 1 ? Math.sqrt(squares / (rates.length - 1)) : null;
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
  return {
    runs: rates.length,
    mean,
    standard_deviation: deviation,
    relative: deviation !== null && mean > 0 ? deviation / mean : null,
    ...{ min: at(0), p25: at(0.25), p50: at(0.5), p75: at(0.75), max: at(1) },
    wrong_runs: wrongWords.filter((words) => words > 0).length,
    wrong_words: wrongWords.reduce((a, b) => a + b, 0),
    rates,
  };
}

/** `speed` is relative to one thread, which makes 0.1 GUP/s. */
export function strategyOf(name: string, speed: number, wrongWords = [0, 0, 0]): Strategy {
  return {
    name,
    exact: name !== "unsynchronised",
    threads: name === "serial" ? 1 : 2,
    gups: measured(0.1 * speed, "GUP/s"),
    error_rate: errorRate(wrongWords),
    to_serial: measured(speed, "ratio"),
    to_unsynchronised: measured(speed / 2, "ratio"),
  };
}

export const STRATEGIES = [
  strategyOf("serial", 1),
  strategyOf("unsynchronised", 2, [0, 10, 50]),
  strategyOf("atomic", 0.5),
];

/** A run of each strategy takes this long; with the facts below, 0.1 GUP/s. */
const RUN_SECONDS = 0.04;

export function studyRecord(facts: Partial<ErrorFacts> = {}, changes: Partial<PageRecord> = {}): PageRecord {
  const all: ErrorFacts = {
    ...{ table_words: TABLE_WORDS, updates: 4 * TABLE_WORDS, threads: 2, success: true },
    strategies: STRATEGIES,
    ...facts,
  };
  const samples = samplesOf("errors", all.strategies.map(timesOf));
  return recordOf("randomaccess_errors", all, { samples, ...changes });
}

function timesOf({ name }: Strategy): PageSeries {
  const labels = { unit: "s", series: "time", strategy: name };
  return rankSeries(labels, [[RUN_SECONDS, 2 * RUN_SECONDS, 4 * RUN_SECONDS]]);
}

function loadOf(role: string, worked: number, waited: number): Load {
  return { role, ranks: 1, worked: measured(worked, "s"), waited: measured(waited, "s") };
}

const RUN: RandomAccessFacts = {
  ...{ ranks: 2, table_words: 2 ** 20, algorithm: "route", mapping_mode: 1, grid: [2, 1] },
  ...{ generator: "polynomial", owner: "prediction", look_ahead: 1024 },
  gups: measured(0.05, "GUP/s"),
  seconds: measured(0.02, "s"),
  ...{ updates: 4 * 2 ** 20, errors: 0, look_ahead_max: 919 },
  exchange: { messages: 0.01, bytes: 8, handed: 0 },
  loads: [loadOf("generate", 0.015, 0.005), loadOf("update", 0.005, 0.015)],
  checks: [
    checkOf("wrong words", { value: 0, limit: 0 }),
    checkOf("updates pending", { value: 919, limit: 1024 }),
  ],
  success: true,
  launch: launchOf({ blas: "" }),
  plan: { updates: 4 * 2 ** 20, repetitions: 5 },
};

/** Samples of one rank in a role; `handed` is zero for all. */
function rankParts(rank: number, role: string, worked: number[]): PageSeries[] {
  const members = { members: [[rank]], over: ["rank"], repetitions: [] };
  const labels = { role, raw: true };
  return [
    { ...rankSeries({ ...labels, unit: "s", series: "worked" }, [worked]), ...members },
    { ...rankSeries({ ...labels, unit: "1", series: "handed" }, [worked.map(() => 0)]), ...members },
  ];
}

export function runRecord(
  facts: Partial<RandomAccessFacts> = {},
  changes: Partial<PageRecord> = {},
): PageRecord {
  const rate = { unit: "update/s", series: "rate", mode: "mpi" };
  const samples = samplesOf("random_access", [
    rankSeries(rate, [[4e7, 5e7, 6e7]]),
    ...rankParts(0, "generate", [0.01, 0.015, 0.02]),
    ...rankParts(1, "update", [0.004, 0.005, 0.006]),
  ]);
  return recordOf("randomaccess", { ...RUN, ...facts }, { samples, ...changes });
}

export function lookupOf(parts: number, ratio: number, changes: Partial<OwnerLookup> = {}): OwnerLookup {
  return {
    parts,
    table_words: 2 ** 27,
    divided: measured(ratio * 5e-10, "s"),
    predicted: measured(5e-10, "s"),
    searched: null,
    ratio: measured(ratio, "ratio"),
    ...changes,
  };
}

export function ownerRecord(lookups: OwnerLookup[]): PageRecord {
  return recordOf("randomaccess_owner", { lookups });
}
