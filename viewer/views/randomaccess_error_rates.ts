// The error rate as the random variable that it is: every run of every strategy.
import { type Block, type CellValue, figure, type Lane } from "../model/figure";
import {
  ALLOWED,
  errorFacts,
  inMillionths,
  meanText,
  RATE_UNIT,
  rateText,
} from "../model/randomaccess_errors";
import type { ErrorFacts, Strategy } from "../model/record";
import { formatNumber } from "../model/units";
import { registerView } from "../model/view";

const COLUMNS = [
  ...["strategy", "must be exact", "runs", "with wrong words", "wrong words", "mean", "standard deviation"],
  ...["deviation / mean", "least", "25th percentile", "median", "75th percentile", "most"],
];

registerView({
  section: "results",
  order: 2,
  blocks: (record) => {
    const facts = errorFacts(record);
    return facts ? [distribution(facts)] : [];
  },
});

function distribution({ strategies }: ErrorFacts): Block {
  return figure({
    id: "randomaccess-error-rates",
    title: "Wrong words, run by run",
    what:
      "Each dot is a run: wrong words per million words of the table. The mark is the mean, the bar one standard " +
      "deviation to both sides; zero has a place of its own left of the logarithmic axis. The dashed line is what " +
      "the rules of the benchmark allow, 1 % of the words. The next run can differ as these differ from each other.",
    method:
      "After each run one thread applies the updates again; as xor undoes itself, a word that then differs from " +
      "the start is wrong.",
    drawing: {
      kind: "strips",
      x: { title: "wrong words per million", unit: RATE_UNIT, scale: "zero-log10" },
      strips: strategies.map((one, tone) => ({ name: one.name, lanes: [laneOf(one, tone)] })),
      marks: [inMillionths(ALLOWED)],
      legend: [],
    },
    table: () => ({ columns: COLUMNS, rows: strategies.map(rowOf) }),
    data: () => strategies.map(({ name, exact, error_rate }) => ({ name, exact, error_rate })),
  });
}

function laneOf(one: Strategy, tone: number): Lane {
  const { mean, standard_deviation, rates } = one.error_rate;
  const [value, deviation] = [inMillionths(mean), inMillionths(standard_deviation ?? 0)];
  return {
    tone,
    value,
    low: Math.max(0, value - deviation),
    high: value + deviation,
    dots: rates.map(inMillionths),
    told: toldOf(one),
  };
}

function toldOf(one: Strategy): string {
  const { wrong_runs, runs } = one.error_rate;
  return wrong_runs === 0 ? `none in ${runs} runs` : `${meanText(one)}, in ${wrong_runs} of ${runs} runs`;
}

function rowOf({ name, exact, error_rate: rate }: Strategy): CellValue[] {
  return [
    name,
    exact,
    rate.runs,
    rate.wrong_runs,
    rate.wrong_words,
    rateText(rate.mean),
    rateText(rate.standard_deviation),
    rate.relative === null ? null : formatNumber(rate.relative),
    ...[rate.min, rate.p25, rate.p50, rate.p75, rate.max].map(rateText),
  ];
}
