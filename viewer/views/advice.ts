// What the reader must know before believing the figures.
import type { Advice, PageRecord } from "../model/record";
import { registerView } from "../model/view";

registerView({
  section: "verdict",
  order: 3,
  blocks: (record) => {
    const advice = [...record.warnings, ...failuresOf(record)];
    return advice.length ? [{ block: "callouts", advice }] : [];
  },
});

function failuresOf({ samples }: PageRecord): Advice[] {
  return Object.values(samples)
    .map(({ error }) => error)
    .filter((error) => error !== null);
}
