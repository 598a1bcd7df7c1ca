// What processes of one node leave each other of its way to the network.
import { figure, noted } from "../model/figure";
import { expectedLine, lineFromOne } from "../model/lines";
import { networkFacts } from "../model/network";
import type { Access } from "../model/record";
import { formatValue } from "../model/units";
import { registerView } from "../model/view";

registerView({
  section: "network",
  order: 7,
  blocks: (record) => {
    const facts = networkFacts(record)?.access;
    return facts ? [accessFigure(facts), ...facts.notes.map(noted)] : [];
  },
});

function accessFigure(facts: Access) {
  const most = facts.ratio.length;
  return figure({
    id: "network-access",
    title: "Bandwidth over processes on a node",
    what:
      `How many times less bandwidth each of ${facts.processes} processes has with so many on a node than with ` +
      `one, each sending ${formatValue(facts.message, "B")} to the next node; bars are intervals. The mean is ` +
      "ratNC of Servet.",
    method: facts.ratio.find((one, i) => one && i > 0)?.method ?? facts.reference.method,
    drawing: {
      kind: "lines",
      x: { title: "processes on a node", unit: "", scale: "linear" },
      y: { title: "times less than alone on it", unit: "ratio", scale: "linear" },
      series: [
        lineFromOne("mean (ratNC)", 0, facts.ratio),
        ...(facts.slowest ? [lineFromOne("slowest rank", 1, facts.slowest.ratio)] : []),
        ...(facts.harmonic ? [lineFromOne("harmonic mean", 2, facts.harmonic.ratio)] : []),
        expectedLine("all share one link", 3, [
          [1, 1],
          [most, most],
        ]),
      ],
      ranges: [],
    },
    table: () => ({
      columns: ["processes on a node", "ratio", "mean", "slowest rank", "harmonic mean"],
      rows: facts.ratio.flatMap((ratio, i) =>
        ratio
          ? [
              [
                i + 1,
                ratio,
                facts.bandwidth[i] ?? null,
                facts.slowest?.bandwidth[i] ?? null,
                facts.harmonic?.bandwidth[i] ?? null,
              ],
            ]
          : [],
      ),
    }),
    data: () => facts,
  });
}
