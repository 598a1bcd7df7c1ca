// Facts of a known kind.
import type { PageRecord } from "./record";

/** Null of another kind, and of facts without that member, which are none of it: those are shown as a tree. */
export function factsOf<F>({ kind, facts }: PageRecord, of: string, member: keyof F): F | null {
  const isMeant = kind === of && typeof facts === "object" && facts !== null && member in facts;
  return isMeant ? (facts as F) : null;
}
