// What a strategy gets wrong against what it delivers: errors are worth something only where they pay.
import { type Block, type Bounded, figure, type Spot } from "../model/figure";
import { errorFacts, inMillionths, meanText, RATE_UNIT, rateText } from "../model/randomaccess_errors";
import type { ErrorFacts, Quantity, Strategy } from "../model/record";
import { formatQuantity } from "../model/units";
import { registerView } from "../model/view";

registerView({
  section: "results",
  order: 1,
  blocks: (record) => {
    const facts = errorFacts(record);
    return facts ? tradeOff(facts) : [];
  },
});

/** By the first ratio that all have; without one there is nothing to trade. */
function tradeOff({ strategies }: ErrorFacts): Block[] {
  const base = BASES.find(
    ({ ratio }) => strategies.length > 1 && strategies.every((one) => ratio(one) !== null),
  );
  if (!base) return [];
  return [
    figure({
      id: "randomaccess-trade-off",
      title: "Wrong words against rate",
      what:
        `Each strategy at its rate relative to ${base.name}, and at the share of the table's words that it got ` +
        "wrong: mean, with a line from the least to the most of its runs. Lines across are intervals of the rate. " +
        "Zero has a place of its own below the logarithmic axis.",
      method: strategies.map(base.ratio)[0]?.method ?? "",
      drawing: {
        kind: "scatter",
        x: { title: `rate relative to ${base.name}`, unit: "ratio", scale: "log10" },
        y: { title: "wrong words per million", unit: RATE_UNIT, scale: "zero-log10" },
        spots: strategies.flatMap((one, tone) => spotOf(one, base.ratio(one), tone)),
        marks: { x: [1], y: [] },
      },
      table: () => ({
        columns: ["strategy", "relative rate", "wrong words, mean", "least", "most"],
        rows: strategies.map((one) => [
          one.name,
          base.ratio(one),
          ...[one.error_rate.mean, one.error_rate.min, one.error_rate.max].map(rateText),
        ]),
      }),
      data: () => strategies,
    }),
  ];
}

const BASES = [
  { name: "one thread", ratio: ({ to_serial }: Strategy) => to_serial },
  { name: "threads that do not synchronise", ratio: ({ to_unsynchronised }: Strategy) => to_unsynchronised },
];

function spotOf(one: Strategy, ratio: Quantity | null, tone: number): Spot[] {
  if (!ratio) return [];
  const told = `${formatQuantity(ratio)}, wrong words ${meanText(one)}`;
  return [{ name: one.name, tone, x: ratio, y: errorsOf(one), told }];
}

function errorsOf({ error_rate: { mean, min, max } }: Strategy): Bounded {
  return { value: inMillionths(mean), low: inMillionths(min), high: inMillionths(max) };
}
