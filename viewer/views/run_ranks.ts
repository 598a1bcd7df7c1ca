// What was sampled of every rank, side by side: which rank, and so which core or machine, differs.
import { type CellValue, chosenFrom, type Figure, figure, type LineChart } from "../model/figure";
import { measuredLine } from "../model/lines";
import type { RankPlace } from "../model/record";
import { runOf } from "../model/run";
import {
  type Extent,
  extentOf,
  extentTexts,
  medianOf,
  type OverRanks,
  overRanks,
  type RankPart,
} from "../model/run_series";
import { formatIds, formatShare, formatValue } from "../model/units";
import { registerView } from "../model/view";
import { idOf } from "../model/words";

const COLUMNS = ["rank", "host", "may run on", "median", "lowest", "highest", "over the median rank"];

registerView({
  section: "results",
  order: 4,
  blocks: (record) => {
    const run = runOf(record);
    if (!run) return [];
    const places = new Map((run.launch?.placement ?? []).map((place) => [place.rank, place]));
    const options = overRanks(record).map((one) => ({ label: one.name, figure: rankFigure(one, places) }));
    return chosenFrom("ranks", "Rank by rank", options);
  },
});

/** One rank of a series. */
interface Member extends Extent {
  rank: number;
  role: string;
}

function rankFigure(one: OverRanks, places: Map<number, RankPlace>): Figure {
  const members = one.parts.flatMap(membersOf);
  const middle = medianOf(members.map(({ median }) => median));
  const hasRoles = one.parts.length > 1;
  return figure({
    id: idOf("ranks", one.name),
    title: `${one.name}, rank by rank`,
    what: `Median of each rank while all ran at once, from its lowest to its highest sample. ${extremes(one, members, places)}`,
    drawing: drawingOf(one),
    table: () => ({
      columns: [...COLUMNS, ...(hasRoles ? ["role"] : [])],
      rows: members.map((member) => [
        ...rowOf(member, middle, one.unit, places),
        ...(hasRoles ? [member.role] : []),
      ]),
    }),
    data: () => one,
  });
}

function membersOf({ role, series }: RankPart): Member[] {
  return series.members.map(([rank = 0], i) => ({
    rank,
    role,
    ...extentOf(series, i),
  }));
}

function drawingOf({ name, unit, parts }: OverRanks): LineChart {
  const series = parts.map((part, tone) => {
    const points = membersOf(part).map(({ rank, median, low, high }) => ({ x: rank, y: median, low, high }));
    return measuredLine(part.role || name, tone, points);
  });
  return {
    kind: "lines",
    x: { title: "rank", unit: "", scale: "linear" },
    y: { title: name, unit, scale: "linear" },
    series,
    ranges: [],
  };
}

/** A rate is slow or fast, anything else is least or most. */
function extremes({ unit }: OverRanks, members: Member[], places: Map<number, RankPlace>): string {
  const ordered = [...members].sort((a, b) => a.median - b.median);
  const middle = medianOf(members.map(({ median }) => median));
  const [least, most] = unit.endsWith("/s") ? ["Slowest", "Fastest"] : ["Least", "Most"];
  const tell = (word: string, { rank, role, median }: Member) => {
    const where = [places.get(rank)?.host, role].filter(Boolean).join("; ");
    return `${word}: rank ${rank}${where ? ` (${where})` : ""}, ${formatValue(median, unit)}${relative(median, middle)}.`;
  };
  const [first, last] = [ordered[0], ordered.at(-1)];
  return first && last ? `${tell(least, first)} ${tell(most, last)}` : "";
}

function relative(median: number, middle: number): string {
  if (middle <= 0) return "";
  const ratio = median / middle;
  return `, ${formatShare(Math.abs(ratio - 1))} ${ratio < 1 ? "below" : "above"} the median rank`;
}

function rowOf(member: Member, middle: number, unit: string, places: Map<number, RankPlace>): CellValue[] {
  const { rank, median } = member;
  return [
    rank,
    places.get(rank)?.host ?? null,
    formatIds(places.get(rank)?.cpus ?? []) || null,
    ...extentTexts(member, unit),
    middle > 0 ? formatShare(median / middle) : null,
  ];
}
