// What was sampled of every rank, machine by machine: a slow machine, or a slow rank on each.
import { type Block, type CellValue, chosenFrom, type Figure, figure, type Lane } from "../model/figure";
import { machinesOf } from "../model/placement";
import type { PageRecord, RankPlace } from "../model/record";
import { runOf } from "../model/run";
import { extentOf, medianOf, type OverRanks, overRanks, type RankPart } from "../model/run_series";
import { formatValue } from "../model/units";
import { registerView } from "../model/view";
import { idOf } from "../model/words";

/** More strips than these are read as a table. */
const MOST_STRIPS = 64;

const COLUMNS = [
  "machine",
  "ranks",
  "median of ranks",
  "least: rank",
  "its median",
  "most: rank",
  "its median",
];

registerView({
  section: "results",
  order: 3,
  blocks: (record) => {
    const machines = machinesOf(runOf(record)?.launch?.placement ?? []);
    return machines.length > 1 ? machineFigures(record, machines) : [];
  },
});

function machineFigures(record: PageRecord, machines: RankPlace[][]): Block[] {
  const options = overRanks(record).map((one) => ({ label: one.name, figure: machineFigure(one, machines) }));
  return chosenFrom("machines", "Machine by machine", options);
}

/** The ranks of one role on a machine. */
interface Group {
  role: string;
  /** The same on every machine, whichever roles it has. */
  tone: number;
  ranks: number[];
  medians: number[];
}

interface Machine {
  host: string;
  groups: Group[];
}

function machineFigure(one: OverRanks, machines: RankPlace[][]): Figure {
  const { name, unit, parts } = one;
  const found = machines
    .map((places) => machineOf(one, places))
    .filter(({ groups }) => groups.some(({ ranks }) => ranks.length > 0));
  return figure({
    id: idOf("machines", name),
    title: `${name}, machine by machine`,
    what: "One row per machine, one dot per rank: its median while all ranks ran at once. The axis need not begin at 0.",
    drawing:
      found.length > MOST_STRIPS
        ? null
        : {
            kind: "strips",
            x: { title: "median of a rank", unit, scale: "linear", close: true },
            strips: found.map(({ host, groups }) => ({
              name: host,
              lanes: groups.map((group) => laneOf(group, unit)),
            })),
            marks: [],
            legend: parts.length > 1 ? parts.map(({ role }, tone) => ({ name: role, tone })) : [],
          },
    table: () => ({
      columns: parts.length > 1 ? [...COLUMNS, "role"] : COLUMNS,
      rows: found.flatMap(({ host, groups }) =>
        groups.map((group) => [...rowOf(host, group, unit), ...(parts.length > 1 ? [group.role] : [])]),
      ),
    }),
    data: () => found,
  });
}

function machineOf({ parts }: OverRanks, places: RankPlace[]): Machine {
  const own = new Set(places.map(({ rank }) => rank));
  const groups = parts.map((part, tone) => groupOf(part, tone, own)).filter(({ ranks }) => ranks.length > 0);
  return { host: places[0]?.host ?? "", groups };
}

function groupOf({ role, series }: RankPart, tone: number, own: Set<number>): Group {
  const at = series.members.flatMap(([rank = -1], i) => (own.has(rank) ? [i] : []));
  return {
    role,
    tone,
    ranks: at.map((i) => series.members[i]?.[0] ?? -1),
    medians: at.map((i) => extentOf(series, i).median),
  };
}

function laneOf({ tone, medians }: Group, unit: string): Lane {
  const [low, high] = [Math.min(...medians), Math.max(...medians)];
  const told = `${formatValue(low, unit)} to ${formatValue(high, unit)}`;
  return { tone, value: medianOf(medians), low, high, dots: medians, told };
}

function rowOf(host: string, { ranks, medians }: Group, unit: string): CellValue[] {
  const [low, high] = [Math.min(...medians), Math.max(...medians)];
  const rankWith = (value: number) => ranks[medians.indexOf(value)] ?? null;
  const told = (value: number) => formatValue(value, unit);
  return [host, ranks.length, told(medianOf(medians)), rankWith(low), told(low), rankWith(high), told(high)];
}
