// How many senders one node can drain, also while it sends itself.
import { type Block, figure, noted, type Series, type XRange, tableFigure } from "../model/figure";
import { measuredLine, pointAt } from "../model/lines";
import { networkFacts } from "../model/network";
import type { Receiver } from "../model/record";
import { formatValue } from "../model/units";
import { registerView } from "../model/view";

registerView({
  section: "network",
  order: 8,
  blocks: (record) => {
    const facts = networkFacts(record)?.receiver;
    return facts ? [receiverFigure(facts), ...limitFigure(facts), ...facts.notes.map(noted)] : [];
  },
});

function receiverFigure(facts: Receiver) {
  const size = formatValue(facts.message, "B");
  return figure({
    id: "network-receiver",
    title: `What ${facts.host || "one node"} takes in`,
    what:
      `Sum over all senders, each of ${facts.messages} messages of ${size}, by the number of nodes that the ` +
      "receiver sends to meanwhile; bars are intervals. The upright band marks where the sum stops to grow.",
    method: facts.bandwidth.method,
    drawing: {
      kind: "lines",
      x: { title: "senders", unit: "", scale: "linear" },
      y: { title: "taken in", unit: "B/s", scale: "linear" },
      series: targetsIn(facts).map((targets, tone) => intakeLine(facts, targets, tone)),
      ranges: limitOfIdle(facts),
    },
    table: () => ({
      columns: ["senders", "targets", "takes in", "gives out", "slowest sender, times as long"],
      rows: facts.phases.map(({ sending, receiving, bandwidth, outgoing, slowed }) => [
        sending,
        receiving,
        bandwidth,
        outgoing,
        slowed.reduce<number | null>((most, { value }) => Math.max(most ?? 0, value), null),
      ]),
    }),
    data: () => facts,
  });
}

/** Where one that sends to nobody is filled; the others would lie too near for names. */
function limitOfIdle({ limits }: Receiver): XRange[] {
  return limits
    .filter(({ receiving, saturated }) => receiving === 0 && saturated)
    .map(({ sending: { low, high } }) => ({ name: "filled", low, high, kind: "measured" }));
}

/** To how many others the node sent meanwhile. */
function targetsIn({ phases }: Receiver): number[] {
  return [...new Set(phases.map(({ receiving }) => receiving))].sort((a, b) => a - b);
}

function limitFigure({ limits, host }: Receiver): Block[] {
  return tableFigure({
    id: "network-receiver-limits",
    title: `What fills ${host || "one node"}`,
    what: "Senders at the rate of a sole one, in fractions. Where the sum grew up to the largest number, it is not filled.",
    method: limits[0]?.sending.method ?? "",
    columns: ["meanwhile", "senders", "filled", "takes in"],
    rows: limits.map(({ receiving, sending, saturated, bandwidth }) => [
      meanwhile(receiving),
      sending,
      saturated,
      bandwidth,
    ]),
    data: () => limits,
  });
}

function intakeLine({ phases }: Receiver, targets: number, tone: number): Series {
  const own = phases.filter(({ receiving }) => receiving === targets);
  return measuredLine(
    meanwhile(targets),
    tone,
    own.flatMap(({ sending, bandwidth }) => pointAt(sending, bandwidth)),
  );
}

function meanwhile(targets: number): string {
  return targets === 0 ? "sending to nobody" : `sending to ${targets}`;
}
