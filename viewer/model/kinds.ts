// The kinds of records that have views of their own; facts of all others are shown as a tree.
import { hpccFacts } from "./hpcc";
import { errorFacts } from "./randomaccess_errors";
import type { PageRecord } from "./record";
import { surveyFacts } from "./survey";

const READERS = [surveyFacts, hpccFacts, errorFacts];

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
