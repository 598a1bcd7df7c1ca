// Every cache level with all that was found out about it.
import { type CellValue, notMeasured, tableFigure } from "../model/figure";
import type { Cache } from "../model/record";
import { cacheName, nodeFacts } from "../model/survey";
import { formatIds } from "../model/units";
import { registerView } from "../model/view";

const COLUMNS = ["level", "size", "latency", "in cycles", "line", "ways", "shared by cores", "remarks"];

registerView({
  section: "latency",
  order: 2,
  blocks: (record) => {
    const node = nodeFacts(record);
    if (!node) return [];
    if (node.caches.length === 0) return [notMeasured("Cache levels")];
    return tableFigure({
      id: "caches",
      title: "Cache levels",
      what: "Data caches as measured, with intervals. Cores are logical numbers; groups share one cache.",
      method: node.caches[0]?.size.method ?? "",
      columns: COLUMNS,
      rows: node.caches.map(rowOf),
      data: () => node.caches,
    });
  },
});

function rowOf(cache: Cache): CellValue[] {
  const { size, latency, latency_cycles, line, associativity, notes } = cache;
  return [
    cacheName(cache),
    size,
    latency,
    latency_cycles,
    line,
    associativity,
    groupsOf(cache),
    notes.join("; "),
  ];
}

function groupsOf({ shared_by: groups }: Cache): string {
  if (groups === null) return "not determined";
  const shown = groups.slice(0, 8).map(formatIds).join(" | ");
  return groups.length > 8 ? `${shown} | … ${groups.length} groups` : shown;
}
