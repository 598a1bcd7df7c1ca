// What was asked for, and why sizes are as they are.
import { type Block, tableFigure } from "../model/figure";
import { choiceRows } from "../model/placement";
import { type Run, runOf } from "../model/run";
import { registerView } from "../model/view";

registerView({
  section: "run",
  order: 1,
  blocks: (record) => {
    const run = runOf(record);
    return run ? [...planFigure(run), ...choiceFigure(run)] : [];
  },
});

function planFigure({ entries, plan, launch, about }: Run): Block[] {
  return tableFigure({
    id: "plan",
    title: "Plan of the run",
    what: about,
    columns: ["what", "value"],
    rows: entries.map(({ name, value }) => [name, value]),
    data: () => ({ plan, launch }),
  });
}

function choiceFigure({ plan }: Run): Block[] {
  const rows = choiceRows(plan);
  return tableFigure({
    id: "choices",
    title: "Why this plan",
    what: "What the program chose, and for which reason.",
    columns: ["choice", "value", "why"],
    rows,
    data: () => plan.choices,
  });
}
