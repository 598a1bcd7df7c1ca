// Small records of the suite for tests.
import type { Figure as Measured, HpccFacts, HpccTest, PageRecord, PageSeries, Quantity } from "./record";
import { recordOf } from "./record.fixture";

const NOTHING: HpccFacts = { tests: [], success: null, launch: null, plan: {}, summary: {}, origin: null };

export function hpccRecord(facts: Partial<HpccFacts> = {}, changes: Partial<PageRecord> = {}): PageRecord {
  return recordOf("hpcc", { ...NOTHING, ...facts }, changes);
}

export function figureOf(
  series: string,
  mode: string,
  value: Quantity,
  labels: Record<string, unknown> = {},
): Measured {
  return { series, mode, value, labels, spread: null };
}

export function testOf(name: string, figures: Measured[], changes: Partial<HpccTest> = {}): HpccTest {
  return { name, title: name, done: true, figures, checks: [], ...changes };
}

/** Samples behind figures: pairs or rings with one median each. */
export function messageSeries(
  labels: Record<string, unknown>,
  over: string[],
  medians: [members: number[], median: number][],
): PageSeries {
  const shared = {
    unit: "s",
    series: "time",
    mode: "mpi",
    purpose: "definition",
    buffers: "reused",
    raw: true,
  };
  const median = medians.map(([, value]) => value);
  return {
    labels: { ...shared, ...labels },
    over,
    members: medians.map(([members]) => members),
    low: median.map((value) => value * 0.9),
    median,
    high: median.map((value) => value * 1.2),
    repetitions: [],
  };
}
