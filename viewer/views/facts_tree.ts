// Facts of a kind that this page does not know.
import { type Block, tableFigure } from "../model/figure";
import { hasViews } from "../model/kinds";
import type { PageRecord } from "../model/record";
import { leavesOf } from "../model/tree";
import { registerView } from "../model/view";

registerView({
  section: "facts",
  blocks: (record) => (hasViews(record) ? [] : treeFigure(record)),
});

function treeFigure({ kind, facts }: PageRecord): Block[] {
  return tableFigure({
    id: "facts",
    title: `Facts of this record (${kind})`,
    what: "All entries with their place in the record.",
    columns: ["entry", "value"],
    rows: leavesOf(facts).map(({ path, value }) => [path || "facts", value]),
    data: () => facts,
  });
}
