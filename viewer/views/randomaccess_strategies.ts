// What each strategy delivers: updates in a second, and relative to one thread.
import { type Block, chosenFrom, type Figure, figure, type Strip } from "../model/figure";
import { quantityLane } from "../model/lanes";
import { errorFacts, gupsOfRuns } from "../model/randomaccess_errors";
import type { ErrorFacts, PageRecord, Quantity, Strategy } from "../model/record";
import { registerView } from "../model/view";

registerView({
  section: "results",
  order: 3,
  blocks: (record) => {
    const facts = errorFacts(record);
    return facts ? strategyRates(record, facts) : [];
  },
});

interface Measure {
  id: string;
  label: string;
  what: string;
  unit: string;
  of: (one: Strategy) => Quantity | null;
  dots: (one: Strategy) => number[];
  marks: number[];
}

function measuresOf(record: PageRecord, facts: ErrorFacts): Measure[] {
  return [
    {
      id: "randomaccess-rates",
      label: "Updates in a second",
      what: "Each dot is a run, the mark the median, the bar its interval.",
      unit: "GUP/s",
      of: ({ gups }) => gups,
      dots: (one) => gupsOfRuns(record, one, facts),
      marks: [],
    },
    ratioTo("one thread", "to-serial", ({ to_serial }) => to_serial),
    ratioTo(
      "threads that do not synchronise",
      "to-unsynchronised",
      ({ to_unsynchronised }) => to_unsynchronised,
    ),
  ];
}

function ratioTo(base: string, id: string, of: Measure["of"]): Measure {
  return {
    id: `randomaccess-${id}`,
    label: `Relative to ${base}`,
    what: "Ratios of rates within a round: median with interval. A bar that touches 1 leaves open which is faster.",
    unit: "ratio",
    of,
    dots: () => [],
    marks: [1],
  };
}

function strategyRates(record: PageRecord, facts: ErrorFacts): Block[] {
  const options = measuresOf(record, facts)
    .filter(({ of }) => facts.strategies.some((one) => of(one) !== null))
    .map((measure) => ({ label: measure.label, figure: rateFigure(measure, facts) }));
  return chosenFrom("randomaccess-rates", "Rates of the strategies:", options);
}

function rateFigure(measure: Measure, { strategies }: ErrorFacts): Figure {
  const { id, label, what, unit, of, marks } = measure;
  return figure({
    id,
    title: `Rates: ${label.toLowerCase()}`,
    what,
    method: strategies.map(of).find((one) => one !== null)?.method ?? "",
    drawing: {
      kind: "strips",
      x: { title: label.toLowerCase(), unit, scale: "log10" },
      strips: strategies.flatMap((one, tone) => stripOf(measure, one, tone)),
      marks,
      legend: [],
    },
    table: () => ({
      columns: ["strategy", "threads", label.toLowerCase(), "runs"],
      rows: strategies.map((one) => [one.name, one.threads, of(one), of(one)?.samples?.n ?? null]),
    }),
    data: () => strategies.map((one) => ({ name: one.name, threads: one.threads, quantity: of(one) })),
  });
}

function stripOf({ of, dots }: Measure, one: Strategy, tone: number): Strip[] {
  const quantity = of(one);
  return quantity ? [{ name: one.name, lanes: [quantityLane(quantity, tone, { dots: dots(one) })] }] : [];
}
