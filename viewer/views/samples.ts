// What was sampled, how often, and what disturbed it.
import { type Block, type CellValue, tableFigure } from "../model/figure";
import type { PageRecord, PageSamples } from "../model/record";
import { filledLeavesOf } from "../model/tree";
import { ABSENT, formatValue } from "../model/units";
import { registerView } from "../model/view";

const PROBE_COLUMNS = [
  "probe",
  "ended",
  "took",
  "cases",
  "samples",
  "rounds",
  "wall / CPU time",
  "stolen",
  "seed",
];

registerView({
  section: "samples",
  blocks: (record) => [...probeFigure(record), ...parameterFigure(record)],
});

function probeFigure({ samples }: PageRecord): Block[] {
  const probes = Object.values(samples);
  return tableFigure({
    id: "samples",
    title: "Probes",
    what:
      "One row per probe. Wall over CPU time is the 95th percentile over the rounds: " +
      "well above 1, other work was in the way. The record file keeps every single sample.",
    columns: PROBE_COLUMNS,
    rows: probes.map(probeRow),
    data: () => samples,
  });
}

function probeRow(one: PageSamples): CellValue[] {
  const { disturbance: seen } = one;
  return [
    one.probe,
    one.ended,
    formatValue(one.elapsed, "s"),
    one.case_count,
    one.sample_count,
    seen?.rounds ?? null,
    seen ? formatValue(seen.wall_over_cpu.p95, "ratio") : ABSENT,
    seen ? formatValue(seen.steal, "s") : ABSENT,
    one.seed,
  ];
}

function parameterFigure({ parameters, samples }: PageRecord): Block[] {
  const rows = [
    ...parameterRows("all", ownParameters(parameters)),
    ...Object.values(samples).flatMap((one) => parameterRows(one.probe, one.parameters)),
  ];
  return tableFigure({
    id: "parameters",
    title: "Parameters",
    what: "What the measurement was asked to do.",
    columns: ["of", "parameter", "value"],
    rows,
    data: () => parameters,
  });
}

const TOLD_ELSEWHERE = ["steps", "plan"];

/** Without the plan: steps of a survey say again what each probe was given, sizes of the suite are facts. */
function ownParameters(parameters: Record<string, unknown>): object {
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !TOLD_ELSEWHERE.includes(name)));
}

function parameterRows(owner: string, parameters: object): CellValue[][] {
  return filledLeavesOf(parameters).map(({ path, value }) => [owner, path, value]);
}
