// How long a load takes while other cores keep the memory busy.
import { figure, notMeasured, type Series } from "../model/figure";
import type { LoadedLatency } from "../model/record";
import { nodeFacts } from "../model/survey";
import { formatShare, formatValue } from "../model/units";
import { registerView } from "../model/view";

registerView({
  section: "memory",
  order: 2,
  blocks: (record) => {
    const node = nodeFacts(record);
    if (!node) return [];
    const points = node.memory?.loaded_latency ?? [];
    if (points.length === 0) return [notMeasured("Loaded latency")];
    return [
      figure({
        id: "loaded-latency",
        title: "Latency under load",
        what:
          "Time of a dependent load on one core while the others move the bandwidth below. " +
          "One line per share of reads; bars are intervals.",
        method: points[0]?.latency.method ?? "",
        drawing: {
          kind: "lines",
          x: { title: "injected bandwidth", unit: "B/s", scale: "linear" },
          y: { title: "time per load", unit: "s", scale: "linear" },
          series: fractionsOf(points).map((fraction, i) => seriesOf(points, fraction, i)),
          ranges: [],
        },
        table: () => ({
          columns: ["reads", "injected bandwidth", "latency", "samples"],
          rows: points.map(({ read_fraction, bandwidth, latency }) => [
            formatShare(read_fraction),
            bandwidth,
            latency,
            latency.samples?.n ?? null,
          ]),
        }),
        data: () => points,
      }),
    ];
  },
});

function fractionsOf(points: LoadedLatency[]): number[] {
  return [...new Set(points.map(({ read_fraction }) => read_fraction))].sort((a, b) => b - a);
}

function seriesOf(points: LoadedLatency[], fraction: number, tone: number): Series {
  const own = points.filter(({ read_fraction }) => read_fraction === fraction);
  return {
    name: `${formatShare(fraction)} reads`,
    spread: "bars",
    tone,
    points: own
      .map(({ bandwidth, latency: { value, low, high } }) => ({
        x: bandwidth.value,
        y: value,
        low,
        high,
        note: `at ${formatValue(bandwidth.value, bandwidth.unit)}`,
      }))
      .sort((a, b) => a.x - b.x),
  };
}
