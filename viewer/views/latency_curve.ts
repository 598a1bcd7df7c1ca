// Load latency over the size of the working set.
import { figure, notMeasured } from "../model/figure";
import { cacheRanges, CURVE_COLUMNS, curveRows, curvesOf, seriesOf } from "../model/latency";
import { nodeFacts } from "../model/survey";
import { registerView } from "../model/view";

registerView({
  section: "latency",
  order: 1,
  blocks: (record) => {
    const node = nodeFacts(record);
    if (!node) return [];
    const curves = curvesOf(record);
    if (curves.length === 0) return [notMeasured("Load latency over size")];
    return [
      figure({
        id: "load-latency",
        title: "Load latency over the size of the working set",
        what:
          "Time of one load that depends on the one before it. Each line is the 5th percentile, " +
          "its shade reaches up to the median. Upright bands mark the measured cache sizes.",
        method:
          "Random cyclic chase over one pointer per line; short samples of all sizes in random order, " +
          "other physical pages in every round.",
        drawing: {
          kind: "lines",
          x: { title: "working set", unit: "B", scale: "log2" },
          y: { title: "time per load", unit: "s", scale: "log10" },
          series: seriesOf(curves, (index) => index),
          ranges: cacheRanges(node.caches),
        },
        table: () => ({ columns: CURVE_COLUMNS, rows: curveRows(curves) }),
        data: () => ({ unit: "s", curves }),
      }),
    ];
  },
});
