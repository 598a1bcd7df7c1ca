// Where the time of HPL went.
import { type Block, chosenFrom, type Figure, figure } from "../model/figure";
import { hpccFacts, seriesName } from "../model/hpcc";
import { extentOf, extentTexts, label, seriesIn } from "../model/run_series";
import type { PageRecord, PageSeries } from "../model/record";
import { formatValue } from "../model/units";
import { registerView } from "../model/view";
import { idOf } from "../model/words";

registerView({
  section: "results",
  order: 4,
  blocks: (record) => (hpccFacts(record) ? phaseFigures(record) : []),
});

function phaseFigures(record: PageRecord): Block[] {
  const phases = seriesIn(record)
    .map(({ series }) => series)
    .filter(({ labels }) => "phase" in labels);
  const cases = [...new Set(phases.map((series) => label(series, "series")))];
  const options = cases.map((name) => ({
    label: seriesName("hpl", name),
    figure: phaseFigure(
      name,
      phases.filter((series) => label(series, "series") === name),
    ),
  }));
  return chosenFrom("hpcc-phases", "Phases of", options);
}

function phaseFigure(name: string, phases: PageSeries[]): Figure {
  return figure({
    id: idOf("hpcc phases", name),
    title: `Phases of ${seriesName("hpl", name)}`,
    what: "Time of each phase in a repetition: median, from the shortest to the longest.",
    drawing: {
      kind: "strips",
      x: { title: "time of a repetition", unit: "s", scale: "linear" },
      strips: phases.map((series) => {
        const { low, median, high } = extentOf(series, 0);
        const told = `${formatValue(median, "s")} [${formatValue(low, "s")}, ${formatValue(high, "s")}]`;
        return {
          name: label(series, "phase"),
          lanes: [{ tone: 0, value: median, low, high, dots: [], told }],
        };
      }),
      marks: [],
      legend: [],
      bars: true,
    },
    table: () => ({
      columns: ["phase", "median", "shortest", "longest"],
      rows: phases.map((series) => [label(series, "phase"), ...extentTexts(extentOf(series, 0), "s")]),
    }),
    data: () => phases,
  });
}
