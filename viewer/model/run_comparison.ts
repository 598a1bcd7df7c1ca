// Several runs beside each other: in what they differed.
import { type Block, tableFigure } from "./figure";
import type { PageRecord } from "./record";
import { runOf } from "./run";

/** Launch lines always differ, in the names of files. */
const NOT_COMPARED = ["launch line"];

/** What was alike, or told by one record alone, needs no row; nothing where all was alike. */
export function differencesFigure(id: string, runs: PageRecord[]): Block[] {
  const plans = runs.map(
    (record) => new Map((runOf(record)?.entries ?? []).map(({ name, value }) => [name, value])),
  );
  const names = [...new Set(plans.flatMap((plan) => [...plan.keys()]))];
  const rows = names
    .filter((name) => !NOT_COMPARED.includes(name))
    .map((name) => ({ name, values: plans.map((plan) => plan.get(name) ?? null) }))
    .filter(({ values }) => new Set(values.filter((value) => value !== null)).size > 1)
    .map(({ name, values }) => [name, ...values]);
  return tableFigure({
    id,
    title: "What differed between the runs",
    what: "Read the ratios with these differences in mind: another size or another number of ranks is another test.",
    columns: ["what", ...runs.map(({ name }) => name)],
    rows,
    data: () => plans.map((plan) => Object.fromEntries(plan)),
  });
}
