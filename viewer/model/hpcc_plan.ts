// What a run of the suite was asked to do and where it ran, in words.
import type { CellValue } from "./figure";
import { hpccFacts, ranksOf } from "./hpcc";
import type { HpccFacts, Launch, PageRecord, RankPlace } from "./record";
import { environmentOf } from "./survey";
import { formatValue } from "./units";
import { count } from "./words";

export interface Entry {
  name: string;
  value: string;
}

/** Ranks by machine: the boot id tells kernels apart, host names are no proof. */
export function machinesOf(placement: RankPlace[]): RankPlace[][] {
  const found = new Map<string, RankPlace[]>();
  for (const one of placement) {
    const machine = one.boot_id || one.host;
    const ranks = found.get(machine);
    if (ranks) ranks.push(one);
    else found.set(machine, [one]);
  }
  return [...found.values()];
}

/** What the masks of the ranks say about how they were bound. */
export function bindingOf({ placement, threads }: Launch): string {
  if (placement.length === 0) return "not told";
  const crowded = placement.some(({ cpus }) => cpus.length < threads);
  const apart = machinesOf(placement).every(areApart);
  if (crowded) return "some ranks have fewer processors than threads";
  return apart ? "verified: no two ranks share a processor" : "ranks share processors: not bound one by one";
}

function areApart(ranks: RankPlace[]): boolean {
  const all = ranks.flatMap(({ cpus }) => cpus);
  return new Set(all).size === all.length;
}

const VALIDATION: Record<string, string> = {
  true: "passed",
  false: "failed",
  null: "not every test came to its checks",
};

/** The sizes and the launch, one line each; only what the record tells. */
export function planOf(record: PageRecord): Entry[] {
  const facts = hpccFacts(record);
  if (!facts) return [];
  return [
    { name: "machine", value: processorOf(record) },
    { name: "validation", value: VALIDATION[String(facts.success)] ?? "" },
    ...launchEntries(facts),
    ...matrixEntries(facts),
    ...sizeEntries(facts.plan),
    ...effortEntries(facts.plan),
  ].filter(({ value }) => value !== "");
}

/** Empty where the record does not say. */
export function processorOf(record: PageRecord): string {
  const { cpu, host } = environmentOf(record);
  return cpu?.model ?? host ?? "";
}

function launchEntries(facts: HpccFacts): Entry[] {
  const { launch } = facts;
  const ranks = ranksOf(facts);
  if (!launch) return ranks ? [{ name: "ranks", value: String(ranks) }] : [];
  return [
    { name: "ranks", value: String(launch.ranks) },
    { name: "threads of each rank", value: String(launch.threads) },
    { name: "machines", value: machinesText(launch) },
    { name: "placement", value: bindingOf(launch) },
    { name: "MPI", value: launch.mpi },
    { name: "BLAS", value: launch.blas },
    { name: "launcher", value: launch.launcher },
    { name: "launch line", value: launch.command },
  ];
}

function machinesText({ nodes, inter_node }: Launch): string {
  return `${count(nodes, "machine")}: ${inter_node ? "some messages cross a network" : "no message leaves it"}`;
}

interface MatrixPlan {
  n: number;
  nb: number;
  grid: { rows: number; columns: number };
}

function matrixEntries({ plan, summary }: HpccFacts): Entry[] {
  const named = [
    ...matricesIn(plan.hpl).map((one) => ({ name: "HPL", value: matrixText(one) })),
    ...matricesIn(plan.ptrans).map((one) => ({ name: "PTRANS", value: matrixText(one) })),
  ];
  return named.length > 0 ? named : summaryMatrices(summary);
}

function matricesIn(part: unknown): MatrixPlan[] {
  return Array.isArray(part) ? (part as MatrixPlan[]) : [];
}

function matrixText({ n, nb, grid }: MatrixPlan): string {
  return `N ${n}, NB ${nb}, grid ${grid.rows} x ${grid.columns}, ${formatValue(8 * n * n, "B")} in all`;
}

/** Old outputs tell the sizes of the best case only. */
function summaryMatrices(summary: Record<string, string>): Entry[] {
  return [
    ["HPL", "HPL_N", "HPL_NB", "HPL"] as const,
    ["PTRANS", "PTRANS_n", "PTRANS_nb", "PTRANS"] as const,
  ].flatMap(([name, order, block, prefix]) => {
    const [n, nb] = [Number(summary[order]), Number(summary[block])];
    const grid = { rows: Number(summary[`${prefix}_nprow`]), columns: Number(summary[`${prefix}_npcol`]) };
    return n > 0 ? [{ name, value: matrixText({ n, nb, grid }) }] : [];
  });
}

/** Name, key of the plan, what is counted, bytes of one. */
const SIZES: [string, string, string, number][] = [
  ["DGEMM", "dgemm_n", "order of each rank's matrices", 0],
  ["STREAM", "stream_elements", "elements of each rank's vectors", 8],
  ["RandomAccess", "random_access_words", "words of each rank's table", 8],
  ["RandomAccess, all ranks", "mpi_random_access_words", "words of the table", 8],
  ["FFT", "fft_points", "points of each rank", 16],
  ["FFT, all ranks", "mpi_fft_points", "points", 16],
];

function sizeEntries(plan: Record<string, unknown>): Entry[] {
  return SIZES.flatMap(([name, key, what, bytes]) => {
    const size = plan[key];
    if (typeof size !== "number") return [];
    return [{ name, value: `${size} ${what}${bytes > 0 ? `, ${formatValue(size * bytes, "B")}` : ""}` }];
  });
}

function effortEntries({ repetitions, budget, seed }: Record<string, unknown>): Entry[] {
  return [
    { name: "repetitions", value: typeof repetitions === "number" ? `at least ${repetitions}` : "" },
    { name: "budget", value: typeof budget === "number" && budget > 0 ? formatValue(budget, "s") : "" },
    { name: "seed", value: typeof seed === "number" ? String(seed) : "" },
  ];
}

/** Why sizes are as they are: what, value, why. */
export function choiceRows({ plan }: HpccFacts): CellValue[][] {
  const choices = Array.isArray(plan.choices) ? (plan.choices as Record<string, string | undefined>[]) : [];
  return choices.map(({ what, value, why }) => [what ?? null, value ?? null, why ?? null]);
}
