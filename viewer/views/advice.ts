// What the reader must know before believing the figures.
import type { Advice, PageRecord } from "../model/record";
import { registerView } from "../model/view";

registerView({
  section: "verdict",
  order: 3,
  blocks: (record) => {
    const told = new Set(record.warnings.map(({ what }) => what));
    const advice = [...record.warnings, ...failuresOf(record).filter(({ what }) => !told.has(what))];
    return advice.length ? [{ block: "callouts", advice }] : [];
  },
});

function failuresOf({ samples }: PageRecord): Advice[] {
  return Object.values(samples)
    .map(({ error }) => error)
    .filter((error) => error !== null);
}
