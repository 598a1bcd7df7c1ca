// What a message costs in each layer: latency, time over size, several at once.
import {
  type Block,
  type CellValue,
  chosenFrom,
  type Figure,
  figure,
  note,
  type Point,
  type XRange,
  tableFigure,
} from "../model/figure";
import { measuredLine, pointAt } from "../model/lines";
import { byLatency, networkFacts } from "../model/network";
import type { CommunicationLayer, CurvePoint, ProtocolSwitch } from "../model/record";
import { formatQuantity } from "../model/units";
import { registerView } from "../model/view";
import { sentence } from "../model/words";

registerView({
  section: "network",
  order: 2,
  blocks: (record) => {
    const layers = byLatency(networkFacts(record)?.layers ?? []);
    return [...layerTable(layers), ...parameterTable(layers), ...curves(layers), ...concurrency(layers)];
  },
});

function layerTable(layers: CommunicationLayer[]): Block[] {
  return tableFigure({
    id: "network-layers",
    title: "Communication layers",
    what: "Pairs of ranks whose messages cost alike, nearest layer first. Latency is one way.",
    method: layers[0]?.latency?.method ?? "",
    columns: ["layer", "latency", "bandwidth", "protocol switch", "pairs"],
    rows: layers.map(({ name, latency, bandwidth, switches, pairs }) => [
      name,
      latency,
      bandwidth,
      switchCell(switches),
      pairs.length || null,
    ]),
    data: () => layers,
  });
}

function switchCell(switches: ProtocolSwitch[]): CellValue {
  const [only, ...others] = switches.map(({ bytes }) => bytes);
  return only && others.length > 0 ? [only, ...others].map(formatQuantity).join(", ") : (only ?? null);
}

function parameterTable(layers: CommunicationLayer[]): Block[] {
  const known = layers.flatMap(({ name, loggp }) => (loggp ? [{ name, ...loggp }] : []));
  return [
    ...tableFigure({
      id: "network-loggp",
      title: "LogGP parameters",
      what:
        "Latency L, overhead o of the processor for a message (the mean of that of sending and of receiving), " +
        "gap g between short messages, gap G for each byte of a long one.",
      method: known[0]?.L?.method ?? "",
      columns: ["layer", "L", "o", "g", "G"],
      rows: known.map(({ name, L, o, g, G }) => [name, L, o, g, G]),
      data: () => known,
    }),
    ...known.flatMap(({ name, notes }) => notes.map((one) => note(sentence(`${name}: ${one}`)))),
  ];
}

type Kind = "time" | "bandwidth";

function curves(layers: CommunicationLayer[]): Block[] {
  const known = layers.filter(({ curve }) => curve.length > 0);
  if (known.length === 0) return [];
  return chosenFrom("network-curves", "Over message size:", [
    { label: "time", figure: curveFigure(known, "time") },
    { label: "bandwidth", figure: curveFigure(known, "bandwidth") },
  ]);
}

function curveFigure(layers: CommunicationLayer[], kind: Kind): Figure {
  return figure({
    id: `network-curve-${kind}`,
    title: kind === "time" ? "Time of a message over its size" : "Bandwidth over message size",
    what:
      "One way, half of a ping-pong, by layer; bars are intervals. Upright bands mark the sizes between which " +
      "the protocol of the library switches.",
    method: layers[0]?.curve[0]?.time.method ?? "",
    drawing: {
      kind: "lines",
      x: { title: "message", unit: "B", scale: "log2" },
      y: {
        title: kind === "time" ? "one-way time" : "bandwidth",
        unit: kind === "time" ? "s" : "B/s",
        scale: "log10",
      },
      series: layers.map(({ name, curve }, tone) =>
        measuredLine(
          name,
          tone,
          curve.flatMap((point) => curvePoint(point, kind)),
        ),
      ),
      ranges: layers.flatMap(switchRanges),
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
function curvePoint({ bytes, time, bandwidth }: CurvePoint, kind: Kind): Point[] {
  return bytes > 0 ? pointAt(bytes, kind === "time" ? time : bandwidth) : [];
}

function switchRanges({ name, switches }: CommunicationLayer): XRange[] {
  return switches.map(({ bytes: { low, high } }) => ({
    name: `switch, ${name}`,
    low,
    high,
    kind: "measured",
  }));
}

function concurrency(layers: CommunicationLayer[]): Block[] {
  const known = layers.filter((layer) => layer.concurrency.length > 0);
  if (known.length === 0) return [];
  return [
    figure({
      id: "network-concurrency",
      title: "Messages at once",
      what:
        "Bandwidth of all messages of a layer over that of a single one, each between a pair of its own; " +
        "bars are intervals.",
      method: known[0]?.concurrency[0]?.bandwidth.method ?? "",
      drawing: {
        kind: "lines",
        x: { title: "messages at once", unit: "", scale: "linear" },
        y: { title: "times the bandwidth of one", unit: "ratio", scale: "linear" },
        series: known.map(({ name, concurrency: points }, tone) =>
          measuredLine(
            name,
            tone,
            points.flatMap(({ messages, scaling }) => pointAt(messages, scaling)),
          ),
        ),
        ranges: [],
      },
      table: () => ({
        columns: ["layer", "messages", "bandwidth of all", "as the slowest", "times one"],
        rows: known.flatMap((layer) =>
          layer.concurrency.map(({ messages, bandwidth, slowest, scaling }) => [
            layer.name,
            messages,
            bandwidth,
            slowest,
            scaling,
          ]),
        ),
      }),
      data: () => known.map(({ name, concurrency: points }) => ({ name, points })),
    }),
  ];
}
