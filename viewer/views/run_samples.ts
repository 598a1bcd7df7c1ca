// How steady the figures were: every sample beside its median, and in the order of the repetitions.
import { scaleOf } from "../model/comparison";
import { type Block, type CellValue, chosenFrom, type Figure, figure, type Strip } from "../model/figure";
import { labelText, testName } from "../model/hpcc";
import { runOf } from "../model/run";
import { figureSeries, label, meansOf, medianOf, type Sampled, sampledName } from "../model/run_series";
import type { PageSeries } from "../model/record";
import { formatShare, formatValue } from "../model/units";
import { registerView } from "../model/view";
import { idOf } from "../model/words";

const MAIN_LABELS = ["unit", "series", "mode"];
const COLUMNS = ["test", "figure", "mode", "repetition", "slowest rank", "sample", "fastest rank"];

registerView({
  section: "results",
  order: 2,
  blocks: (record) => {
    if (!runOf(record)) return [];
    const all = figureSeries(record).filter(({ series }) => meansOf(series).length > 0);
    return all.length > 0 ? [steadiness(all), ...courses(all.filter(isMain))] : [];
  },
});

/** What tells under which conditions messages were measured; it is no figure of the suite. */
const CONDITIONS = ["start_skew", "clock_uncertainty"];

/** Other buffers and single sizes of messages would double the rows: they are in the tables. */
function isMain({ series }: Sampled): boolean {
  const isBeside = "buffers" in series.labels || "bytes" in series.labels;
  return !isBeside && !CONDITIONS.includes(label(series, "series"));
}

function steadiness(all: Sampled[]): Block {
  const shown = all.filter(isMain);
  const strips = shown.map((one) => stripOf(one, nameAmong(shown, one)));
  return figure({
    id: "steadiness",
    title: "Samples of each figure",
    what:
      "Each dot is one repetition, of star figures the mean over the ranks, over the median of its figure; the " +
      "bar reaches from the lowest to the highest. Warm-ups are not among them.",
    drawing: {
      kind: "strips",
      x: { title: "sample over median", unit: "ratio", scale: scaleOf(strips), close: true },
      strips,
      marks: [1],
      legend: [],
    },
    table: () => ({ columns: COLUMNS, rows: all.flatMap(sampleRows) }),
    data: () => all,
  });
}

function detailOf({ labels }: PageSeries): string {
  return labelText(
    Object.fromEntries(Object.entries(labels).filter(([name]) => !MAIN_LABELS.includes(name))),
  );
}

function shortName(one: Sampled): string {
  return `${sampledName(one)}, ${label(one.series, "mode")}`;
}

/** Labels only where the name alone is not enough. */
function nameAmong(all: Sampled[], one: Sampled): string {
  const name = shortName(one);
  const alike = all.filter((other) => shortName(other) === name).length;
  return alike > 1 ? `${name}, ${detailOf(one.series)}` : name;
}

function stripOf({ series }: Sampled, name: string): Strip {
  const means = meansOf(series);
  const median = medianOf(means);
  const dots = means.map((mean) => mean / median);
  const [low, high] = [Math.min(...dots), Math.max(...dots)];
  const told = `${formatValue(median, label(series, "unit"))}, ${spreadText(low, high, means.length)}`;
  return { name, lanes: [{ tone: 0, value: 1, low, high, dots, told }] };
}

function spreadText(low: number, high: number, n: number): string {
  return n === 1 ? "one sample" : `−${formatShare(1 - low)} +${formatShare(high - 1)}, n ${n}`;
}

function sampleRows({ test, series }: Sampled): CellValue[][] {
  const unit = label(series, "unit");
  const figureName = [label(series, "series"), detailOf(series)].filter(Boolean).join(", ");
  const several = series.members.length > 1;
  return series.repetitions.map(([low, mean, high], i) => [
    testName(test),
    figureName,
    label(series, "mode"),
    i + 1,
    several ? formatValue(low, unit) : null,
    formatValue(mean, unit),
    several ? formatValue(high, unit) : null,
  ]);
}

/** One figure per test and unit, in the order of time: drift, warm-up and outliers show. */
function courses(all: Sampled[]): Block[] {
  const groups = new Map<string, Sampled[]>();
  for (const one of all) {
    const key = [testName(one.test), label(one.series, "unit")].join(", ");
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  const options = [...groups].map(([key, group]) => ({
    label: courseLabel(key, group),
    figure: courseOf(key, group),
  }));
  return chosenFrom("course", "Repetitions of", options);
}

function courseLabel(key: string, group: Sampled[]): string {
  const [test = key, unit = ""] = key.split(", ");
  return new Set(group.map(({ test: name }) => name)).size === 1 ? `${test} (${unit})` : test;
}

const MOST_LINES = 14;

function courseOf(key: string, group: Sampled[]): Figure {
  const unit = label(group[0]?.series ?? ({ labels: {} } as PageSeries), "unit");
  const drawn = group.slice(0, MOST_LINES);
  const rest = group.length > drawn.length ? ` The first ${drawn.length} of ${group.length} are drawn.` : "";
  return figure({
    id: idOf("course", key),
    title: `Repetitions of ${courseLabel(key, group)}`,
    what: `Samples in the order in which they were taken; bars reach from the slowest to the fastest rank.${rest}`,
    drawing: {
      kind: "lines",
      x: { title: "repetition", unit: "", scale: "linear" },
      y: { title: courseLabel(key, group), unit, scale: "linear" },
      series: drawn.map((one, tone) => ({
        name: nameAmong(group, one),
        spread: one.series.members.length > 1 ? "bars" : "none",
        tone,
        dashed: tone >= 7,
        points: one.series.repetitions.map(([low, y, high], i) =>
          one.series.members.length > 1 ? { x: i + 1, y, low, high } : { x: i + 1, y },
        ),
      })),
      ranges: [],
    },
    table: () => ({
      columns: COLUMNS,
      rows: group.flatMap(sampleRows),
    }),
    data: () => group,
  });
}
