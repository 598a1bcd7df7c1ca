// How ranks spend a repetition: at work or waiting, role by role.
import { type Block, figure } from "../model/figure";
import { quantityLane } from "../model/lanes";
import { randomAccessFacts } from "../model/randomaccess";
import type { Load } from "../model/record";
import { formatQuantity, formatShare } from "../model/units";
import { registerView } from "../model/view";
import { count } from "../model/words";

registerView({
  section: "results",
  order: 1,
  blocks: (record) => {
    const loads = randomAccessFacts(record)?.loads ?? [];
    return loads.length > 0 ? [loadFigure(loads)] : [];
  },
});

const KINDS = [
  { name: "worked", of: ({ worked }: Load) => worked },
  { name: "waited", of: ({ waited }: Load) => waited },
];

function loadFigure(loads: Load[]): Block {
  return figure({
    id: "randomaccess-loads",
    title: "Work and waiting by role",
    what:
      "Time of a repetition that the ranks of a role worked and waited: mean over the ranks, median over the " +
      "repetitions, with its interval. Roles that wait much leave the others to do the work.",
    method: loads[0]?.worked.method ?? "",
    drawing: {
      kind: "strips",
      x: { title: "time of a repetition", unit: "s", scale: "linear" },
      strips: loads.map((load) => ({
        name: `${load.role} (${count(load.ranks, "rank")})`,
        lanes: KINDS.map(({ name, of }, tone) =>
          quantityLane(of(load), tone, { told: `${name} ${formatQuantity(of(load))}` }),
        ),
      })),
      marks: [],
      legend: KINDS.map(({ name }, tone) => ({ name, tone })),
      bars: true,
    },
    table: () => ({
      columns: ["role", "ranks", "worked", "waited", "share worked"],
      rows: loads.map((load) => [load.role, load.ranks, load.worked, load.waited, shareText(load)]),
    }),
    data: () => loads,
  });
}

function shareText({ worked, waited }: Load): string | null {
  const all = worked.value + waited.value;
  return all > 0 ? formatShare(worked.value / all) : null;
}
