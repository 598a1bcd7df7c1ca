// Memory bandwidth from one core to all, one line per kernel.
import { type CellValue, figure, notMeasured, type Series } from "../model/figure";
import { pointAt } from "../model/lines";
import type { ScalingPoint } from "../model/record";
import { nodeFacts } from "../model/survey";
import { registerView } from "../model/view";

type Scaling = Record<string, ScalingPoint[]>;

registerView({
  section: "memory",
  order: 1,
  blocks: (record) => {
    const node = nodeFacts(record);
    if (!node) return [];
    const scaling = node.memory?.bandwidth ?? {};
    const kernels = Object.keys(scaling);
    if (kernels.length === 0) return [notMeasured("Memory bandwidth")];
    return [
      figure({
        id: "bandwidth",
        title: "Memory bandwidth over cores",
        what: "Bytes a kernel moves per second, all its cores together. Bars are intervals.",
        method: scaling[kernels[0] ?? ""]?.[0]?.value.method ?? "",
        drawing: {
          kind: "lines",
          x: { title: "cores at work", unit: "", scale: "linear" },
          y: { title: "bandwidth", unit: "B/s", scale: "linear" },
          series: kernels.map((kernel, i) => seriesOf(kernel, scaling[kernel] ?? [], kernels, i)),
          ranges: [],
        },
        table: () => ({ columns: ["kernel", "cores", "bandwidth", "samples"], rows: rowsOf(scaling) }),
        data: () => scaling,
      }),
    ];
  },
});

const NON_TEMPORAL = /[_ -](nt|non_temporal|streaming)$/;

/** A kernel and its variant with non-temporal stores share a colour. */
function seriesOf(kernel: string, points: ScalingPoint[], kernels: string[], index: number): Series {
  const plain = kernels.indexOf(kernel.replace(NON_TEMPORAL, ""));
  return {
    name: kernel,
    spread: "bars",
    tone: plain < 0 ? index : plain,
    dashed: NON_TEMPORAL.test(kernel),
    points: points.flatMap(({ cores, value }) => pointAt(cores, value)),
  };
}

function rowsOf(scaling: Scaling): CellValue[][] {
  return Object.entries(scaling).flatMap(([kernel, points]) =>
    points.map(({ cores, value }) => [kernel, cores, value, value.samples?.n ?? null]),
  );
}
