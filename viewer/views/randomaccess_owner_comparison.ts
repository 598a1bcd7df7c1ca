// Several measurements of finding owners beside each other.
import { compared, headline, type Headline, relativeFigures } from "../model/comparison";
import { ownerFacts, WAYS } from "../model/randomaccess_owner";
import type { PageRecord } from "../model/record";
import { registerComparison } from "../model/view";

registerComparison({
  section: "comparison",
  order: 6,
  compare: (records) => {
    const owners = records.filter((record) => ownerFacts(record) !== null);
    if (owners.length < 2) return [];
    return relativeFigures(
      "randomaccess-owners",
      "Finding owners",
      compared(owners, costs),
      "Less is better.",
    );
  },
});

function costs(record: PageRecord): Headline[] {
  const lookups = ownerFacts(record)?.lookups ?? [];
  return lookups.flatMap((lookup) =>
    WAYS.flatMap(({ name, of }) => headline(`${lookup.parts} parts, by ${name}`, of(lookup))),
  );
}
