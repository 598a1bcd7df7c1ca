// Several studies of errors beside each other.
import { compared, type Headline, relativeFigures } from "../model/comparison";
import { type Block, type CellValue, figure, type Series } from "../model/figure";
import { measuredLine } from "../model/lines";
import { errorFacts, inMillionths, RATE_UNIT, rateText } from "../model/randomaccess_errors";
import type { ErrorFacts, PageRecord, Strategy } from "../model/record";
import { formatNumber } from "../model/units";
import { registerComparison } from "../model/view";

registerComparison({
  section: "comparison",
  order: 5,
  compare: (records) => {
    const studies = records.filter((record) => errorFacts(record) !== null);
    return studies.length < 2
      ? []
      : [
          ...errorsOverUpdates(studies),
          ...relativeFigures("randomaccess-studies", "Strategies", compared(studies, rates), ""),
        ];
  },
});

function rates(record: PageRecord): Headline[] {
  const strategies = errorFacts(record)?.strategies ?? [];
  return strategies.map(({ name, gups }) => ({ name: `${name}, updates in a second`, quantity: gups }));
}

/** One strategy of one record. */
interface Studied {
  record: string;
  strategy: Strategy;
  facts: ErrorFacts;
}

/** Of the strategies that left wrong words somewhere; nothing where none did. */
function errorsOverUpdates(studies: PageRecord[]): Block[] {
  const all = studies.flatMap((record): Studied[] => {
    const facts = errorFacts(record);
    return facts ? facts.strategies.map((strategy) => ({ record: record.name, strategy, facts })) : [];
  });
  const wrong = new Set(
    all.filter(({ strategy }) => strategy.error_rate.wrong_words > 0).map(({ strategy }) => strategy.name),
  );
  const shown = all.filter(({ strategy }) => wrong.has(strategy.name));
  if (shown.length === 0) return [];
  return [
    figure({
      id: "randomaccess-errors-over-updates",
      title: "Wrong words over the updates of a run",
      what:
        "Mean over the runs of each record, with bars from the least to the most of its runs. Read records of other " +
        "tables or threads with that in mind: the table behind the figure tells them.",
      method:
        "After Aggarwal et al., HPCC RandomAccess Benchmark for Next Generation Supercomputers, table 2(a).",
      drawing: {
        kind: "lines",
        x: { title: "updates for each word", unit: "", scale: "log10" },
        y: { title: "wrong words per million", unit: RATE_UNIT, scale: "linear" },
        series: [...wrong].map((name, tone) => seriesOf(name, tone, shown)),
        ranges: [],
      },
      table: () => ({
        columns: [
          ...["record", "strategy", "threads", "words of the table", "updates for each word", "runs", "mean"],
          ...["standard deviation", "deviation / mean", "least", "most"],
        ],
        rows: shown.map(rowOf),
      }),
      data: () => shown.map(({ record, strategy }) => ({ record, strategy })),
    }),
  ];
}

function seriesOf(name: string, tone: number, shown: Studied[]): Series {
  const points = shown
    .filter(({ strategy }) => strategy.name === name)
    .map(({ record, strategy: { error_rate: rate }, facts }) => ({
      x: facts.updates / facts.table_words,
      y: inMillionths(rate.mean),
      low: inMillionths(rate.min),
      high: inMillionths(rate.max),
      note: record,
    }))
    .sort((a, b) => a.x - b.x);
  return measuredLine(name, tone, points);
}

function rowOf({ record, strategy: { name, error_rate: rate, threads }, facts }: Studied): CellValue[] {
  return [
    ...[record, name, threads, facts.table_words, formatNumber(facts.updates / facts.table_words), rate.runs],
    ...[rateText(rate.mean), rateText(rate.standard_deviation)],
    rate.relative === null ? null : formatNumber(rate.relative),
    ...[rateText(rate.min), rateText(rate.max)],
  ];
}
