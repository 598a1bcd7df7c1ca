// Facts of a kind that this page does not know.
import { type Block, figure } from "../model/figure";
import { hasViews } from "../model/kinds";
import type { PageRecord } from "../model/record";
import { leavesOf } from "../model/tree";
import { registerView } from "../model/view";

registerView({
  section: "facts",
  blocks: (record) =>
    hasViews(record) ? [] : [treeFigure("facts", `Facts of this record (${record.kind})`, record.facts)],
});

function treeFigure(id: string, title: string, facts: PageRecord["facts"]): Block {
  return figure({
    id,
    title,
    what: "All entries with their place in the record.",
    method: "",
    drawing: null,
    table: () => ({
      columns: ["entry", "value"],
      rows: leavesOf(facts).map(({ path, value }) => [path || "facts", value]),
    }),
    data: () => facts,
  });
}
