// A run that was cut short says so before anything else; the words are those of `groma show`.
import type { Stamp } from "../model/figure";
import type { PageRecord } from "../model/record";
import { registerComparison, registerView } from "../model/view";

registerView({
  section: "verdict",
  order: -1,
  blocks: (record) => stampOf(record, ""),
});

registerComparison({
  section: "comparison",
  order: -1,
  compare: (records) => records.flatMap((record) => stampOf(record, `${record.name}: `)),
});

function stampOf({ unfinished }: PageRecord, name: string): Stamp[] {
  if (!unfinished) return [];
  const { what, details, next } = unfinished;
  return [{ block: "stamp", outcome: "warn", title: name + what, lines: [...details, next] }];
}
