// Small records of RandomAccess for tests.
import type { ErrorFacts, ErrorRate, PageRecord, PageSeries, Strategy } from "./record";
import { measured, rankSeries, recordOf, samplesOf } from "./record.fixture";

/** Of a table of a million words, so that wrong words are parts per million. */
export const TABLE_WORDS = 1e6;

export function errorRate(wrongWords: number[]): ErrorRate {
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
