// Time and bandwidth of a message over its size, layer by layer.
import { type Block, chosenFrom, type Figure, figure, type Point, type XRange } from "../model/figure";
import { measuredLine, pointAt } from "../model/lines";
import { MESSAGE_KINDS, messageAxes, type MessageKind, messageTitle } from "../model/messages";
import { byLatency, networkFacts } from "../model/network";
import type { CommunicationLayer, CurvePoint } from "../model/record";
import { registerView } from "../model/view";
import { listed } from "../model/words";

registerView({
  section: "network",
  order: 3,
  blocks: (record) => curves(byLatency(networkFacts(record)?.layers ?? [])),
});

function curves(layers: CommunicationLayer[]): Block[] {
  const known = layers.filter(({ curve }) => curve.length > 0);
  const options = MESSAGE_KINDS.map((kind) => ({ label: kind, figure: curveFigure(known, kind) }));
  return known.length > 0 ? chosenFrom("network-curves", "Over message size:", options) : [];
}

function curveFigure(layers: CommunicationLayer[], kind: MessageKind): Figure {
  return figure({
    id: `network-curve-${kind}`,
    title: messageTitle(kind),
    what:
      "One way, half of a ping-pong, by layer; bars are intervals. Upright bands mark the sizes between which " +
      "the protocol of the library switches.",
    method: layers[0]?.curve[0]?.time.method ?? "",
    drawing: {
      kind: "lines",
      ...messageAxes(kind),
      series: layers.map(({ name, curve }, tone) =>
        measuredLine(
          name,
          tone,
          curve.flatMap((point) => curvePoint(point, kind)),
        ),
      ),
      ranges: switchRanges(layers),
    },
    table: () => ({
      columns: ["layer", "bytes", "time", "bandwidth", "samples"],
      rows: layers.flatMap(({ name, curve }) =>
        curve.map(({ bytes, time, bandwidth }) => [name, bytes, time, bandwidth, time.samples?.n ?? null]),
      ),
    }),
    data: () => layers.map(({ name, curve, switches }) => ({ name, curve, switches })),
  });
}

/** The empty message has no place on a logarithmic axis. */
function curvePoint({ bytes, time, bandwidth }: CurvePoint, kind: MessageKind): Point[] {
  return bytes > 0 ? pointAt(bytes, kind === "time" ? time : bandwidth) : [];
}

/** Layers that switch between the same sizes share a band. */
function switchRanges(layers: CommunicationLayer[]): XRange[] {
  const all = layers.flatMap(({ name, switches }) =>
    switches.map(({ bytes: { low, high } }) => ({ name, low, high })),
  );
  const sizes = [...new Map(all.map(({ low, high }) => [`${low} ${high}`, { low, high }])).values()];
  return sizes.map(({ low, high }) => {
    const names = all.filter((one) => one.low === low && one.high === high).map(({ name }) => name);
    return { name: `switch, ${listed(names)}`, low, high, kind: "measured" };
  });
}
