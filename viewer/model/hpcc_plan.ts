// What a run of the suite was asked to do, in words.
import { ranksOf } from "./hpcc";
import { type Entry, launchEntries, processorOf } from "./placement";
import type { HpccFacts, PageRecord } from "./record";
import { formatValue } from "./units";

const VALIDATION: Record<string, string> = {
  true: "passed",
  false: "failed",
  null: "not every test came to its checks",
};

/** The sizes and the launch, one line each; only what the record tells. */
export function suiteEntries(record: PageRecord, facts: HpccFacts): Entry[] {
  const ranks = ranksOf(facts);
  const counted = ranks ? [{ name: "ranks", value: String(ranks) }] : [];
  return [
    { name: "machine", value: processorOf(record) },
    { name: "validation", value: VALIDATION[String(facts.success)] ?? "" },
    ...(facts.launch ? launchEntries(facts.launch) : counted),
    ...matrixEntries(facts),
    ...sizeEntries(facts.plan),
    ...effortEntries(facts.plan),
  ].filter(({ value }) => value !== "");
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
