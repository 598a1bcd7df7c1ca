// What the network looks like: an inference, and said to be one.
import { type Block, note } from "../model/figure";
import { networkFacts } from "../model/network";
import type { NetworkTopology, PairDesign } from "../model/record";
import { formatShare } from "../model/units";
import { registerView } from "../model/view";

registerView({
  section: "network",
  order: 1,
  blocks: (record) => {
    const facts = networkFacts(record);
    if (!facts) return [];
    return [...(facts.topology ? [structureNote(facts.topology)] : []), ...designNote(facts.pairs?.design)];
  },
});

function structureNote({ kind, shape, confidence, evidence, alternatives }: NetworkTopology): Block {
  const others = alternatives.map((one) => `${named(one.kind, one.shape)} (${formatShare(one.weight)})`);
  const orElse = others.length > 0 ? ` Other explanations: ${others.join(", ")}.` : "";
  if (kind === "unknown") return note(`Times alone do not tell how the network is built.${orElse}`);
  const told = `Inferred from times, not declared: probably a ${named(kind, shape)}`;
  return note(`${told} (confidence ${formatShare(confidence)}). Evidence: ${evidence.join("; ")}.${orElse}`);
}

/** `torus 4 × 4`, `tree of 4 groups`. */
function named(kind: string, shape: number[]): string {
  if (kind === "tree") return `tree of ${shape.length} groups`;
  if (kind === "groups") return `set of ${shape.length} groups linked in pairs`;
  return [kind, shape.join(" × ")].filter(Boolean).join(kind === "ring" ? " of " : " ");
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
