// Whether the run counts, and its main values.
import { balanceOf } from "../model/balance";
import type { Block, Stamp, Tile } from "../model/figure";
import { type Headline, headlinesOf, hpccFacts, MODES, ranksOf, testName } from "../model/hpcc";
import { onProcessor } from "../model/placement";
import type { HpccFacts, PageRecord } from "../model/record";
import { checkedBy, type Outcome, runOf, warningLine } from "../model/run";
import { sampledTile } from "../model/tiles";
import { formatShare, formatValue } from "../model/units";
import { registerView } from "../model/view";
import { count } from "../model/words";

registerView({
  section: "verdict",
  order: 0,
  blocks: (record) => {
    const facts = hpccFacts(record);
    return facts ? [stampOf(record, facts), ...tilesOf(record, facts)] : [];
  },
});

function stampOf(record: PageRecord, facts: HpccFacts): Stamp {
  const checks = runOf(record)?.checks ?? [];
  const { lines: failures, failure } = checkedBy(checks);
  const cut = facts.tests.filter(({ done }) => !done).map(({ name }) => testName(name));
  const missing = notBegun(facts).map(testName);
  const lines = [
    ...failures,
    ...warningLine(record),
    ...(cut.length > 0 ? [`Cut short: ${cut.join(", ")}; what was measured until then is shown.`] : []),
    ...(missing.length > 0 ? [`Not begun: ${missing.join(", ")}.`] : []),
  ];
  return { block: "stamp", ...(failure ?? outcomeOf(facts, checks.length)), lines };
}

/** Tests of the plan of which there is nothing. */
function notBegun({ tests, plan }: HpccFacts): string[] {
  const planned = Array.isArray(plan.tests) ? (plan.tests as string[]) : [];
  return planned.filter((name) => tests.every((test) => test.name !== name));
}

/** Of a run in which no check failed. */
function outcomeOf({ success, tests }: HpccFacts, checks: number): Outcome {
  if (success === false) return { outcome: "bad", title: "The run says that a check failed (Success=0)" };
  if (success === null) {
    return { outcome: "warn", title: `Not every test came to its end; ${count(checks, "check")} passed` };
  }
  const said = checks > 0 ? `all ${count(checks, "check")} of ${count(tests.length, "test")}` : "Success=1";
  return { outcome: "good", title: `Validation passed: ${said}` };
}

function tilesOf(record: PageRecord, facts: HpccFacts): Block[] {
  const found = new Map(headlinesOf(record).map((headline) => [headline.id, headline]));
  const tiles = TILES.flatMap(([title, ...ids]) => {
    const below = ids.flatMap((id) => BELOW[id]?.(record) ?? []);
    return tileOf(title, ids, found, below);
  });
  return [{ block: "tiles", lead: leadOf(record, facts), tiles }];
}

function leadOf(record: PageRecord, facts: HpccFacts): string {
  const ranks = ranksOf(facts);
  const { launch } = facts;
  const where = launch ? ` of ${count(launch.threads, "thread")} on ${count(launch.nodes, "machine")}` : "";
  const libraries = launch ? [launch.mpi.split(",")[0], launch.blas.split(" ").slice(0, 2).join(" ")] : [];
  const shape = ranks ? `${count(ranks, "rank")}${where}` : "";
  return `HPC Challenge suite${onProcessor(record)}: ${[shape, ...libraries, orderText(facts)].filter(Boolean).join("; ")}.`;
}

function orderText({ plan, summary }: HpccFacts): string {
  const cases = Array.isArray(plan.hpl) ? (plan.hpl as { n: number }[]) : [];
  const orders = cases.length > 0 ? [...new Set(cases.map(({ n }) => String(n)))] : [summary.HPL_N ?? ""];
  return orders.every(Boolean) ? `HPL of order ${orders.join(", ")}` : "";
}

/** HPL is at most what all ranks reach in DGEMM. */
function efficiencyOf(record: PageRecord): string[] {
  const dgemm = balanceOf(record).find(({ name }) => name === "DGEMM");
  return dgemm ? [`${formatShare(1000 / dgemm.quantity.value)} of DGEMM on all ranks`] : [];
}

/** What follows from other headlines, by the one that it stands below. */
const BELOW: Record<string, (record: PageRecord) => string[]> = { "hpl mpi": efficiencyOf };

/** Title, id of the headline, ids of what stands below it. */
const TILES: [title: string, ...ids: string[]][] = [
  ["HPL", "hpl mpi"],
  ["DGEMM", "dgemm star", "dgemm single"],
  ["STREAM triad", "triad star", "triad single"],
  ["PTRANS", "ptrans mpi"],
  ["RandomAccess", "random_access mpi", "random_access star", "random_access single"],
  ["FFT", "fft mpi", "fft star", "fft single"],
  ["Ping-pong latency", "ping_pong_latency_max", "ping_pong_latency_mean", "ping_pong_latency_min"],
  ["Ping-pong bandwidth", "ping_pong_bandwidth_min", "ping_pong_bandwidth_mean", "ping_pong_bandwidth_max"],
  ["Ring latency", "random_ring_latency", "natural_ring_latency"],
  ["Ring bandwidth", "random_ring_bandwidth", "natural_ring_bandwidth"],
];

/** Headed by the first that was measured: a run of star tests alone has no value over all ranks. */
function tileOf(title: string, ids: string[], found: Map<string, Headline>, below: string[]): Tile[] {
  const [head, ...rest] = ids.flatMap((id) => found.get(id) ?? []);
  if (!head) return [];
  return [sampledTile(title, head.quantity, [kindOf(head), ...rest.map(lineOf), ...below])];
}

/** "slowest pair", "random ring": what the title leaves out; else the mode. */
function kindOf({ name, mode, figure }: Headline): string {
  const [, kind] = name.split(", ");
  if (mode === "star" && figure?.spread) return `each of ${figure.spread.ranks} ranks, all at once`;
  if (name.includes("ring"))
    return `${name.startsWith("Random") ? "random" : "natural"} order${kind ? `, ${kind}` : ""}`;
  return kind ?? MODES[mode] ?? mode;
}

function lineOf(headline: Headline): string {
  const { value, unit } = headline.quantity;
  return `${kindOf(headline)}: ${formatValue(value, unit)}`;
}
