// The kinds of records that have views of their own; facts of all others are shown as a tree.
import { hpccFacts } from "./hpcc";
import { randomAccessFacts } from "./randomaccess";
import { errorFacts } from "./randomaccess_errors";
import { ownerFacts } from "./randomaccess_owner";
import type { PageRecord } from "./record";
import { surveyFacts } from "./survey";

const READERS = [surveyFacts, hpccFacts, randomAccessFacts, ownerFacts, errorFacts];

export function hasViews(record: PageRecord): boolean {
  return READERS.some((factsOf) => factsOf(record) !== null);
}

const NAMES: Record<string, string> = {
  hpcc: "HPC Challenge",
  randomaccess: "RandomAccess",
  randomaccess_errors: "RandomAccess, errors",
  randomaccess_owner: "RandomAccess, owners",
};

/** What a record is called in headings. */
export function kindName({ kind }: PageRecord): string {
  return NAMES[kind] ?? kind;
}
