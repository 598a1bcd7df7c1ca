// The load-latency curves of several records in one figure.
import { figure } from "../model/figure";
import { CURVE_COLUMNS, curveRows, curvesOf, seriesOf } from "../model/latency";
import { registerComparison } from "../model/view";

registerComparison({
  section: "comparison",
  order: 2,
  compare: (records) => {
    const all = records.map((record) => ({ name: record.name, curves: curvesOf(record) }));
    if (all.every(({ curves }) => curves.length === 0)) return [];
    return [
      figure({
        id: "latency-comparison",
        title: "Load latency, overlaid",
        what: "Time of one dependent load: 5th percentile, shaded up to the median. One colour per record.",
        method: "The same probe in each record; see the method of each.",
        drawing: {
          kind: "lines",
          x: { title: "working set", unit: "B", scale: "log2" },
          y: { title: "time per load", unit: "s", scale: "log10" },
          series: all.flatMap(({ name, curves }, i) => seriesOf(curves, () => i, `${name}: `)),
          ranges: [],
        },
        table: () => ({
          columns: ["record", ...CURVE_COLUMNS],
          rows: all.flatMap(({ name, curves }) => curveRows(curves).map((row) => [name, ...row])),
        }),
        data: () => all,
      }),
    ];
  },
});
