// Every figure of the suite with its interval and the spread over the ranks.
import { type Block, type CellValue, tableFigure } from "../model/figure";
import { hpccFacts, headlinesOf, inSuiteOrder, labelText, MODES, modeName, testName } from "../model/hpcc";
import { shown } from "../model/quantity";
import type { Figure as Measured, HpccFacts, HpccTest, PageRecord } from "../model/record";
import { formatPoint } from "../model/units";
import { registerView } from "../model/view";

const COLUMNS = ["test", "figure", "mode", "value", "samples", "slowest rank", "fastest rank"];

registerView({
  section: "results",
  order: 1,
  blocks: (record) => {
    const facts = hpccFacts(record);
    if (!facts) return [];
    return [...figuresTable(facts), ...summaryTable(record, facts)];
  },
});

function figuresTable({ tests }: HpccFacts): Block[] {
  const rows = inSuiteOrder(tests, ({ name }) => name).flatMap(rowsOf);
  return tableFigure({
    id: "hpcc-figures",
    title: "All figures",
    what:
      `Star is ${MODES.star ?? ""} (the mean over them), single ${MODES.single ?? ""}, mpi ${MODES.mpi ?? ""}. ` +
      "Slowest and fastest rank are told of star figures.",
    method: tests.flatMap(({ figures }) => figures)[0]?.value.method ?? "",
    columns: COLUMNS,
    rows,
    data: () => tests,
  });
}

/** Sizes of curves have a figure of their own. */
function rowsOf(test: HpccTest): CellValue[][] {
  const name = testName(test.name) + (test.done ? "" : " (cut short)");
  const rows = test.figures.filter(({ labels }) => !("purpose" in labels)).map((one) => rowOf(name, one));
  return rows.length > 0 ? rows : [[name, null, null, null, 0, null, null]];
}

function rowOf(test: string, { series, mode, value, labels, spread }: Measured): CellValue[] {
  return [
    test,
    [series.replaceAll("_", " "), labelText(labels)].filter(Boolean).join(", "),
    mode,
    shown(value),
    value.samples?.n ?? null,
    spread && `${formatPoint(spread.lowest)} (rank ${spread.lowest_rank})`,
    spread && `${formatPoint(spread.highest)} (rank ${spread.highest_rank})`,
  ];
}

/** An old output has its summary alone: one value of each figure. */
function summaryTable(record: PageRecord, { tests, summary }: HpccFacts): Block[] {
  const headlines = headlinesOf(record).filter(({ figure: measured }) => measured === null);
  if (tests.length > 0 || headlines.length === 0) return [];
  return tableFigure({
    id: "hpcc-summary",
    title: "Values of the summary",
    what: "This record has one value of each figure and no samples behind it: how far it varies is not known.",
    method: "As the program did that wrote the summary.",
    columns: ["figure", "mode", "value", "key"],
    rows: headlines.map(({ name, mode, quantity }) => [
      name,
      modeName(mode),
      shown(quantity),
      quantity.method,
    ]),
    data: () => summary,
  });
}
