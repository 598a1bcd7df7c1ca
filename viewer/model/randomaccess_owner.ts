// Reading a record of kind "randomaccess_owner": what finding the owner of a word costs.
import { factsOf } from "./facts";
import type { OwnerFacts, OwnerLookup, PageRecord, Quantity } from "./record";

export function ownerFacts(record: PageRecord): OwnerFacts | null {
  return factsOf<OwnerFacts>(record, "randomaccess_owner", "lookups");
}

export interface Way {
  name: string;
  of: (lookup: OwnerLookup) => Quantity | null;
}

/** In the order of their tones. */
export const WAYS: Way[] = [
  { name: "division", of: ({ divided }) => divided },
  { name: "prediction", of: ({ predicted }) => predicted },
  { name: "search", of: ({ searched }) => searched },
];

/** How the owner is found without a division. */
export function wayWithout({ predicted }: OwnerLookup): string {
  return predicted ? "prediction" : "search";
}
