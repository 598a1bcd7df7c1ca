// Star tests machine by machine: a slow machine, or a slow rank on each.
import { type Block, type CellValue, chosenFrom, type Figure, figure, type Strip } from "../model/figure";
import { hpccFacts } from "../model/hpcc";
import { machinesOf } from "../model/hpcc_plan";
import { figureSeries, label, medianOf, type Sampled, sampledName } from "../model/hpcc_series";
import type { PageRecord, RankPlace } from "../model/record";
import { formatValue } from "../model/units";
import { registerView } from "../model/view";

/** More strips than these are read as a table. */
const MOST_STRIPS = 64;

registerView({
  section: "results",
  order: 3,
  blocks: (record) => {
    const machines = machinesOf(hpccFacts(record)?.launch?.placement ?? []);
    return machines.length > 1 ? machineFigures(record, machines) : [];
  },
});

function machineFigures(record: PageRecord, machines: RankPlace[][]): Block[] {
  const stars = figureSeries(record).filter(({ series }) => series.members.length > 1);
  const options = stars.map((one) => ({ label: sampledName(one), figure: machineFigure(one, machines) }));
  return chosenFrom("hpcc-machines", "Machine by machine", options);
}

interface Machine {
  host: string;
  ranks: number[];
  /** Medians of its ranks. */
  medians: number[];
}

function machineFigure(one: Sampled, machines: RankPlace[][]): Figure {
  const unit = label(one.series, "unit");
  const found = machines.map((ranks) => machineOf(one, ranks)).filter(({ medians }) => medians.length > 0);
  return figure({
    id: `hpcc-machines-${sampledName(one)
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")}`,
    title: `${sampledName(one)}, machine by machine`,
    what: "One row per machine, one dot per rank: its median while all ranks ran at once. The axis need not begin at 0.",
    method: "",
    drawing:
      found.length > MOST_STRIPS
        ? null
        : {
            kind: "strips",
            x: { title: "median of a rank", unit, scale: "linear", close: true },
            strips: found.map((machine) => stripOf(machine, unit)),
            marks: [],
            legend: [],
          },
    table: () => ({
      columns: [
        "machine",
        "ranks",
        "median of ranks",
        "slowest rank",
        "its median",
        "fastest rank",
        "its median",
      ],
      rows: found.map((machine) => rowOf(machine, unit)),
    }),
    data: () => found,
  });
}

function machineOf({ series }: Sampled, places: RankPlace[]): Machine {
  const own = new Set(places.map(({ rank }) => rank));
  const at = series.members.flatMap(([rank = -1], i) => (own.has(rank) ? [i] : []));
  return {
    host: places[0]?.host ?? "",
    ranks: at.map((i) => series.members[i]?.[0] ?? -1),
    medians: at.map((i) => series.median[i] ?? Number.NaN),
  };
}

function stripOf({ host, medians }: Machine, unit: string): Strip {
  const [low, high] = [Math.min(...medians), Math.max(...medians)];
  const told = `${formatValue(low, unit)} to ${formatValue(high, unit)}`;
  return { name: host, lanes: [{ tone: 0, value: medianOf(medians), low, high, dots: medians, told }] };
}

function rowOf({ host, ranks, medians }: Machine, unit: string): CellValue[] {
  const [low, high] = [Math.min(...medians), Math.max(...medians)];
  const rankWith = (value: number) => ranks[medians.indexOf(value)] ?? null;
  const told = (value: number) => formatValue(value, unit);
  return [host, ranks.length, told(medianOf(medians)), rankWith(low), told(low), rankWith(high), told(high)];
}
