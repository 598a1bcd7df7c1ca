// Several runs of RandomAccess beside each other: rates, what each sends for an update, what differed.
import { compared, relativeFigures } from "../model/comparison";
import {
  type Block,
  type CellValue,
  chosenFrom,
  type Figure,
  figure,
  type Strip,
  type StripChart,
} from "../model/figure";
import {
  algorithmText,
  randomAccessFacts,
  runHeadlines,
  type Sent,
  SENT,
  sentText,
} from "../model/randomaccess";
import { quantityLane } from "../model/lanes";
import { ratioOf } from "../model/quantity";
import type { PageRecord, Quantity, RandomAccessFacts } from "../model/record";
import { differencesFigure } from "../model/run_comparison";
import { registerComparison } from "../model/view";
import { idOf } from "../model/words";

registerComparison({
  section: "comparison",
  order: 4,
  compare: (records) => {
    const runs = records.flatMap((record) => {
      const facts = randomAccessFacts(record);
      return facts ? [{ record, facts }] : [];
    });
    return runs.length < 2
      ? []
      : [
          ...sideBySide(runs),
          ...ratioBlocks(runs),
          ...exchangeFigures(runs),
          ...differencesFigure(
            "randomaccess-differences",
            runs.map(({ record }) => record),
          ),
        ];
  },
});

interface Run {
  record: PageRecord;
  facts: RandomAccessFacts;
}

const COLUMNS = [
  ...["run", "algorithm", "ranks", "rate", "relative to the first", "wrong words", "look-ahead, most"],
  ...["messages for an update", "bytes for an update", "handed on for an update"],
];

function sideBySide(runs: Run[]): Block[] {
  const base = runs[0]?.facts.gups ?? null;
  const strips = runs.flatMap(({ record, facts: { gups } }, tone) =>
    gups ? [{ name: record.name, lanes: [quantityLane(gups, tone)] }] : [],
  );
  return [
    figure({
      id: "randomaccess-runs",
      title: "RandomAccess, run by run",
      what: "Updates in a second: median with interval. The table has beside it what each run sends for an update.",
      method: base?.method ?? "",
      drawing: strips.length > 0 ? barsOf(strips, { title: "updates in a second", unit: "GUP/s" }) : null,
      table: () => ({ columns: COLUMNS, rows: runs.map((run) => rowOf(run, base)) }),
      data: () => runs.map(({ record: { name }, facts }) => ({ name, facts })),
    }),
  ];
}

function barsOf(strips: Strip[], axis: { title: string; unit: string }): StripChart {
  return { kind: "strips", x: { ...axis, scale: "linear" }, strips, marks: [], legend: [], bars: true };
}

function rowOf({ record, facts }: Run, base: Quantity | null): CellValue[] {
  const { exchange, ranks, gups, errors, look_ahead_max } = facts;
  const sent = SENT.map((one) => (exchange ? sentText(one, exchange) : null));
  const ratio = gups && base ? ratioOf(gups, base) : null;
  return [record.name, algorithmText(facts), ranks, gups, ratio, errors, look_ahead_max, ...sent];
}

/** One figure for each thing that some run sends. */
function exchangeFigures(runs: Run[]): Block[] {
  const options = SENT.filter(({ of }) =>
    runs.some(({ facts: { exchange } }) => exchange && of(exchange) > 0),
  ).map((sent) => ({ label: sent.name, figure: exchangeFigure(sent, runs) }));
  return chosenFrom("randomaccess-exchange", "Sent for an update:", options);
}

function exchangeFigure(sent: Sent, runs: Run[]): Figure {
  const told = runs.flatMap(({ record, facts: { exchange } }, tone) =>
    exchange ? [{ name: record.name, tone, value: sent.of(exchange), text: sentText(sent, exchange) }] : [],
  );
  return figure({
    id: idOf("randomaccess sent", sent.name),
    title: `For an update: ${sent.name}`,
    what: "Counted over the whole run, so there is no interval. Updates that a rank owns itself are sent nowhere.",
    drawing: barsOf(
      told.map(({ name, tone, value, text }) => ({
        name,
        lanes: [{ tone, value, low: value, high: value, dots: [], told: text }],
      })),
      { title: sent.name, unit: sent.unit },
    ),
    table: () => ({ columns: ["run", sent.name], rows: told.map(({ name, text }) => [name, text]) }),
    data: () => told.map(({ name, value }) => ({ name, value })),
  });
}

function ratioBlocks(runs: Run[]): Block[] {
  const all = compared(
    runs.map(({ record }) => record),
    (record) => {
      const facts = randomAccessFacts(record);
      return facts ? runHeadlines(facts) : [];
    },
  );
  return relativeFigures("randomaccess", "RandomAccess", all, "Of times less is better.");
}
