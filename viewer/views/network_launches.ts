// How the ranks of each part of the network survey were started, and where they were found.
import { type Block, chosenFrom, tableFigure } from "../model/figure";
import { labelText } from "../model/hpcc";
import { networkFacts } from "../model/network";
import { bindingOf, machinesText } from "../model/placement";
import { placementFigure } from "../model/placement_figure";
import type { NetworkLaunch } from "../model/record";
import { registerView } from "../model/view";

registerView({
  section: "network",
  order: 9,
  blocks: (record) => {
    const launches = networkFacts(record)?.launches ?? [];
    return [...launchTable(launches), ...launchLines(launches), ...placements(launches)];
  },
});

function launchTable(launches: NetworkLaunch[]): Block[] {
  return tableFigure({
    id: "network-launches",
    title: "Launches",
    what: "How the ranks of each part were started, and what they told of where they ran.",
    columns: ["for", "ranks", "machines", "placement", "MPI"],
    rows: launches.map((one) => [
      purposeOf(one),
      one.launch.ranks,
      machinesText(one.launch),
      bindingOf(one.launch),
      one.launch.mpi,
    ]),
    data: () => launches,
  });
}

function launchLines(launches: NetworkLaunch[]): Block[] {
  return tableFigure({
    id: "network-launch-lines",
    title: "Launch lines",
    what: "With which each part can be started again in a shell.",
    columns: ["for", "launch line"],
    rows: launches.map((one) => [purposeOf(one), one.launch.command]),
    data: () => launches.map(({ launch }) => launch.command),
  });
}

function placements(launches: NetworkLaunch[]): Block[] {
  const options = launches
    .filter(({ launch }) => launch.placement.length > 0)
    .map((one, i) => ({
      label: purposeOf(one),
      figure: placementFigure(`network-placement-${i + 1}`, one.launch),
    }));
  return chosenFrom("network-placement", "Where the ranks were:", options);
}

/** `net_access, per node 2`. */
function purposeOf({ probes, labels }: NetworkLaunch): string {
  return [...probes, labelText(labels)].filter(Boolean).join(", ");
}
