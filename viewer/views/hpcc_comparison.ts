// Several runs of the suite beside each other: values, what differed, balance.
import { balanceOf, reciprocalLatency } from "../model/balance";
import { compared, relativeFigures } from "../model/comparison";
import { type Block, figure } from "../model/figure";
import { headlinesOf, hpccFacts } from "../model/hpcc";
import type { PageRecord, Quantity } from "../model/record";
import { differencesFigure } from "../model/run_comparison";
import { formatValue } from "../model/units";
import { registerComparison } from "../model/view";

registerComparison({
  section: "comparison",
  order: 3,
  compare: (records) => {
    const runs = records.filter((record) => hpccFacts(record) !== null);
    if (runs.length < 2) return [];
    return [...headlineBlocks(runs), ...differencesFigure("hpcc-differences", runs), ...balanceBlock(runs)];
  },
});

function headlineBlocks(runs: PageRecord[]): Block[] {
  const all = compared(runs, (record) =>
    headlinesOf(record).map(({ fullName, quantity }) => ({ name: fullName, quantity })),
  );
  return relativeFigures("hpcc", "HPC Challenge", all, "Of latencies less is better.");
}

interface Column {
  name: string;
  values: (Quantity | null)[];
}

/** The columns of the paper's figures 4 to 6; HPL itself is 1 in all of them. */
function columnsOf(runs: PageRecord[]): Column[] {
  const ratios = runs.map(
    (record) => new Map(balanceOf(record).map(({ name, quantity }) => [name, quantity])),
  );
  const names = [...new Set(ratios.flatMap((one) => [...one.keys()]))];
  const columns = names.map((name) => ({ name, values: ratios.map((one) => one.get(name) ?? null) }));
  const latency = { name: "1 / ring latency", values: runs.map(reciprocalLatency) };
  return [...columns, latency].filter(({ values }) => values.filter((value) => value !== null).length > 1);
}

function balanceBlock(runs: PageRecord[]): Block[] {
  const columns = columnsOf(runs);
  if (columns.length < 3) return [];
  const best = columns.map(({ values }) => Math.max(...values.map((value) => value?.value ?? 0)));
  return [
    figure({
      id: "hpcc-kiviat",
      title: "Balance, relative to the best",
      what:
        "Each test over HPL, all ranks together, and one over the latency of random rings; each axis is divided by " +
        "its largest value, so the rim is the best of these records. It shows balance, not speed.",
      method:
        "After Rabenseifner, Balance of HPC Systems Based on HPCC Benchmark Results (2005), section 5, figures 4 to 6.",
      drawing: {
        kind: "radar",
        axes: columns.map(({ name }) => name),
        shapes: runs
          .map(({ name }, i) => ({
            name,
            tone: i,
            values: columns.map(({ values }, at) => share(values[i], best[at])),
            told: columns.map(({ values }) => toldOf(values[i])),
          }))
          .filter(({ values }) => values.some((value) => value !== null)),
      },
      table: () => ({
        columns: ["axis", ...runs.map(({ name }) => name)],
        rows: columns.map(({ name, values }) => [name, ...values.map(toldOf)]),
      }),
      data: () => columns,
    }),
  ];
}

function share(value: Quantity | null | undefined, best: number | undefined): number | null {
  return value && best ? value.value / best : null;
}

function toldOf(value: Quantity | null | undefined): string {
  return value ? formatValue(value.value, value.unit) : "–";
}
