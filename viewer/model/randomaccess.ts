// Reading a record of kind "randomaccess": a run over ranks, whole or cut short.
import { factsOf } from "./facts";
import { headline, type Headline } from "./comparison";
import { type Entry, launchEntries, processorOf } from "./placement";
import type { Exchange, PageRecord, PageSeries, RandomAccessFacts } from "./record";
import { formatNumber, formatValue } from "./units";

const WORD_BYTES = 8;

export function randomAccessFacts(record: PageRecord): RandomAccessFacts | null {
  return factsOf<RandomAccessFacts>(record, "randomaccess", "table_words");
}

const UPDATES_IN_GUP = 1e9;

/** Sampled rates of updates in the unit in which the facts tell them. */
export function inGups(series: PageSeries): PageSeries {
  if (series.labels.unit !== "update/s") return series;
  const told = (values: number[]) => values.map((value) => value / UPDATES_IN_GUP);
  return {
    ...series,
    labels: { ...series.labels, unit: "GUP/s" },
    ...{ low: told(series.low), median: told(series.median), high: told(series.high) },
    repetitions: series.repetitions.map((one) => told(one) as typeof one),
  };
}

/** `route on a grid of 4x2`. */
export function algorithmText({ algorithm, grid }: RandomAccessFacts): string {
  return grid.length > 0 ? `${algorithm} on a grid of ${grid.join("x")}` : algorithm;
}

export function tableText(words: number): string {
  return `${words} words, ${formatValue(WORD_BYTES * words, "B")}`;
}

/** What was asked for and what was chosen, one line each; only what the record tells. */
export function randomAccessEntries(record: PageRecord, facts: RandomAccessFacts): Entry[] {
  const { launch, plan } = facts;
  const told = (value: unknown, unit = "") =>
    typeof value === "number" && value > 0 ? `${value}${unit}` : "";
  return [
    { name: "machine", value: processorOf(record) },
    { name: "algorithm", value: algorithmText(facts) },
    { name: "mapping mode", value: String(facts.mapping_mode) },
    { name: "ranks of a node that route", value: told(plan.routers) },
    { name: "table", value: tableText(facts.table_words) },
    { name: "updates of the whole run", value: told(plan.updates) },
    { name: "sequence", value: facts.generator },
    { name: "owners", value: facts.owner && `by ${facts.owner}` },
    { name: "look-ahead allowed", value: String(facts.look_ahead) },
    { name: "parts of the run", value: told(plan.repetitions) },
    { name: "budget", value: told(plan.budget, " s") },
    ...(launch ? launchEntries(launch) : [{ name: "ranks", value: String(facts.ranks) }]),
  ].filter(({ name, value }) => value !== "" && name !== "BLAS");
}

export function runHeadlines(facts: RandomAccessFacts): Headline[] {
  return [...headline("updates in a second", facts.gups), ...headline("time of a repetition", facts.seconds)];
}

/** What leaves a rank for one update. */
export interface Sent {
  name: string;
  unit: string;
  of: (exchange: Exchange) => number;
}

export const SENT: Sent[] = [
  { name: "messages", unit: "", of: ({ messages }) => messages },
  { name: "bytes in messages", unit: "B", of: ({ bytes }) => bytes },
  { name: "updates handed on through shared memory", unit: "", of: ({ handed }) => handed },
];

export function sentText({ unit, of }: Sent, exchange: Exchange): string {
  return unit === "" ? formatNumber(of(exchange)) : formatValue(of(exchange), unit);
}

/** Bytes of a message, null where there is none. */
export function messageBytes({ messages, bytes }: Exchange): number | null {
  return messages > 0 ? bytes / messages : null;
}
