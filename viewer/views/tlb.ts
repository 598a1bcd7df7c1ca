// Reach of the address translation and what a miss costs.
import { notMeasured, tableFigure } from "../model/figure";
import { nodeFacts } from "../model/survey";
import { formatValue } from "../model/units";
import { registerView } from "../model/view";

registerView({
  section: "latency",
  order: 3,
  blocks: (record) => {
    const node = nodeFacts(record);
    if (!node) return [];
    if (node.tlb.length === 0) return [notMeasured("Address translation (TLB)")];
    return tableFigure({
      id: "tlb",
      title: "Address translation",
      what: "Memory each level of the TLB reaches without a miss, and the time a miss adds to a load.",
      method: node.tlb[0]?.reach.method ?? "",
      columns: ["level", "page", "reach", "entries", "cost of a miss"],
      rows: node.tlb.map(({ level, page, reach, miss_cost }) => [
        `level ${level}`,
        formatValue(page, "B"),
        reach,
        Math.round(reach.value / page),
        miss_cost,
      ]),
      data: () => node.tlb,
    });
  },
});
