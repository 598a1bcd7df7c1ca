// Reading a record of kind "randomaccess_owner": what finding the owner of a word costs.
import type { OwnerFacts, OwnerLookup, PageRecord, Quantity } from "./record";

/** Null of another kind, and of facts that are none of it: those are shown as a tree. */
export function ownerFacts({ kind, facts }: PageRecord): OwnerFacts | null {
  const isOwner =
    kind === "randomaccess_owner" && typeof facts === "object" && facts !== null && "lookups" in facts;
  return isOwner ? (facts as OwnerFacts) : null;
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
