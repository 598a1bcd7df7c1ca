// Where the ranks were found.
import { placementFigure } from "../model/placement_figure";
import { runOf } from "../model/run";
import { registerView } from "../model/view";

registerView({
  section: "run",
  order: 2,
  blocks: (record) => {
    const launch = runOf(record)?.launch;
    return launch && launch.placement.length > 0 ? [placementFigure("placement", launch)] : [];
  },
});
