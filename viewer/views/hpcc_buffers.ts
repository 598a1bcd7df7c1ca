// What the state of the buffers does to the values of messages.
import { lanesOf } from "../model/comparison";
import { type Block, figure } from "../model/figure";
import { hpccFacts } from "../model/hpcc";
import { shown } from "../model/quantity";
import type { Figure as Measured, HpccFacts, Quantity } from "../model/record";
import { registerView } from "../model/view";

/** Label and name of the states beside the suite's own. */
const STATES = [
  ["reused_huge", "on huge pages"],
  ["rotating", "that no cache holds"],
] as const;

registerView({
  section: "messages",
  order: 3,
  blocks: (record) => {
    const facts = hpccFacts(record);
    return facts ? buffersFigure(facts) : [];
  },
});

interface Row {
  name: string;
  /** As the suite has it, then in the other states. */
  values: (Quantity | null)[];
}

function buffersFigure({ tests }: HpccFacts): Block[] {
  const rows = tests
    .filter(({ name }) => name === "effective_bandwidth")
    .flatMap(({ figures }) => rowsOf(figures));
  if (rows.length === 0) return [];
  return [
    figure({
      id: "hpcc-buffers",
      title: "Other buffers than the suite's",
      what:
        "Each value over the one with the suite's buffers, which are the same memory again and again on small " +
        "pages. A bar that touches 1 leaves open which is larger. Of latencies less is better.",
      method: rows[0]?.values[0]?.method ?? "",
      drawing: {
        kind: "strips",
        x: { title: "ratio to the suite's buffers", unit: "ratio", scale: "log10" },
        strips: rows.map(({ name, values }) => ({ name, lanes: lanesOf(values) })),
        marks: [1],
        legend: STATES.map(([, name], i) => ({ name: `buffers ${name}`, tone: i + 1 })),
      },
      table: () => ({
        columns: ["value", "as in the suite", ...STATES.map(([, name]) => name)],
        rows: rows.map(({ name, values }) => [name, ...values.map(shown)]),
      }),
      data: () => rows,
    }),
  ];
}

function rowsOf(figures: Measured[]): Row[] {
  const valueOf = (series: string, state: string | undefined) =>
    figures.find((one) => one.series === series && one.labels.buffers === state && !("purpose" in one.labels))
      ?.value ?? null;
  const names = figures.filter(({ labels }) => labels.buffers === "reused_huge").map(({ series }) => series);
  return [...new Set(names)]
    .map((series) => ({
      name: series.replaceAll("_", " "),
      values: [undefined, ...STATES.map(([state]) => state)].map((state) => valueOf(series, state)),
    }))
    .filter(({ values: [own] }) => own !== null);
}
