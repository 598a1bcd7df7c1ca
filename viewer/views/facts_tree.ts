// Facts that no other view shows: those of a kind this page does not know, and the network's.
import { type Block, figure } from "../model/figure";
import { hasViews } from "../model/kinds";
import type { PageRecord } from "../model/record";
import { surveyFacts } from "../model/survey";
import { leavesOf } from "../model/tree";
import { registerView } from "../model/view";

registerView({
  section: "facts",
  blocks: (record) => {
    if (!hasViews(record))
      return [treeFigure("facts", `Facts of this record (${record.kind})`, record.facts)];
    const network = surveyFacts(record)?.network;
    return network ? [treeFigure("network", "Network", network)] : [];
  },
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
