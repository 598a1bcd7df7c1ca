// What the network looks like: an inference, and said to be one.
import { type Block, note, tableFigure } from "../model/figure";
import { networkFacts } from "../model/network";
import type { NetworkTopology, PairDesign } from "../model/record";
import { formatNumber, formatShare } from "../model/units";
import { registerView } from "../model/view";

registerView({
  section: "network",
  order: 1,
  blocks: (record) => {
    const facts = networkFacts(record);
    if (!facts) return [];
    const { topology, pairs } = facts;
    return [
      ...(topology ? [structureNote(topology), ...groupTable(topology)] : []),
      ...designNote(pairs?.design),
    ];
  },
});

function structureNote(topology: NetworkTopology): Block {
  const { kind, shape, confidence, evidence, alternatives } = topology;
  const others = alternatives.map((one) => `${named(one.kind, one.shape)} (${formatShare(one.weight)})`);
  const orElse = others.length > 0 ? ` Other explanations: ${others.join(", ")}.` : "";
  if (kind === "unknown") return note(`Times alone do not tell how the network is built.${orElse}`);
  const told = `Inferred from times, not declared: probably a ${named(kind, shape)}`;
  const basis = `confidence ${confidenceText(confidence)}). Evidence: ${evidence.join("; ")}.`;
  return note([`${told} (${basis}`, ...detailsOf(topology)].join(" ") + orElse);
}

const NEARLY_SURE = 0.999;

/** No inference from times is certain. */
function confidenceText(confidence: number): string {
  return confidence > NEARLY_SURE ? `over ${formatShare(NEARLY_SURE)}` : formatShare(confidence);
}

/** Kinds in which nodes have neighbours. */
const WITH_NEIGHBOURS = ["ring", "torus"];

function detailsOf({ kind, in_rank_order, uplink }: NetworkTopology): string[] {
  const order = in_rank_order
    ? "Nodes of neighbouring ranks are neighbours in it."
    : "Nodes of neighbouring ranks are not neighbours in it: another order of the hosts may help.";
  return [
    ...(WITH_NEIGHBOURS.includes(kind) ? [order] : []),
    ...(uplink === null
      ? []
      : [`A link between groups carries ${formatNumber(uplink)} times what that of a node does.`]),
  ];
}

/** `torus 4x4`, `ring of 9`, `tree of 3 groups of 4`: as on the terminal. */
function named(kind: string, shape: number[]): string {
  if (kind === "tree" || kind === "groups") {
    const [least, most] = [Math.min(...shape), Math.max(...shape)];
    const sizes = least === most ? String(least) : `${least} to ${most}`;
    return `${kind === "tree" ? "tree" : "set of linked groups"} of ${shape.length} groups of ${sizes}`;
  }
  return [kind, shape.join("x")].filter(Boolean).join(kind === "ring" ? " of " : " ");
}

function groupTable({ groups, hosts, method }: NetworkTopology): Block[] {
  return tableFigure({
    id: "network-groups",
    title: "Groups of nodes",
    what: "Nodes that lie near each other, by their times.",
    method,
    columns: ["group", "nodes", "hosts"],
    rows: groups.map((group, i) => [
      i + 1,
      group.length,
      group.map((node) => hosts[node] ?? node).join(", "),
    ]),
    data: () => groups.map((group) => group.map((node) => hosts[node] ?? node)),
  });
}

function designNote(design: PairDesign | undefined): Block[] {
  if (!design || design.kind === "all") return [];
  const { measured, total, least_share, risk } = design;
  const sample = `${measured} of ${total} pairs of ranks were measured.`;
  return [
    note(
      `${sample} A layer that holds ${formatShare(least_share)} of all pairs or more was missed with a risk ` +
        `of ${formatShare(risk)} at most.`,
    ),
  ];
}
