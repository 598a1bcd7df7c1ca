// Who is near whom: latency between all pairs of ranks.
import { figure } from "../model/figure";
import { heatMap, matrixData, matrixTable } from "../model/matrix";
import { networkFacts, rankName } from "../model/network";
import { registerView } from "../model/view";

registerView({
  section: "network",
  order: 3,
  blocks: (record) => {
    const pairs = networkFacts(record)?.pairs;
    if (!pairs || pairs.latency.length === 0) return [];
    const labels = pairs.ranks.map((rank, i) => rankName(rank, pairs.hosts[i]));
    const names = { rowTitle: "from rank", columnTitle: "to rank", rows: labels, columns: labels };
    return [
      figure({
        id: "network-pairs",
        title: "Latency between pairs of ranks",
        what: `One-way time of a message of ${pairs.bytes} bytes; heavier lines part the nodes.`,
        method: pairs.latency.flat().find((cell) => cell !== null)?.method ?? "",
        drawing: heatMap(pairs.latency, names, hostBorders(pairs.hosts)),
        table: () => matrixTable(pairs.latency, names),
        data: () => matrixData(pairs.latency, names),
      }),
    ];
  },
});

/** Where the next host begins; none where each rank has a host of its own. */
function hostBorders(hosts: string[]): number[] {
  const borders = hosts.flatMap((host, i) => (i > 0 && host !== hosts[i - 1] ? [i] : []));
  return borders.length < hosts.length - 1 ? borders : [];
}
