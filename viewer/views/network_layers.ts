// What a message costs in each layer, and the parameters of a model of it.
import { type Block, type CellValue, note, tableFigure } from "../model/figure";
import { byLatency, networkFacts } from "../model/network";
import type { CommunicationLayer, ProtocolSwitch } from "../model/record";
import { formatQuantity } from "../model/units";
import { registerView } from "../model/view";
import { sentence } from "../model/words";

registerView({
  section: "network",
  order: 2,
  blocks: (record) => {
    const layers = byLatency(networkFacts(record)?.layers ?? []);
    return [...layerTable(layers), ...parameterTable(layers)];
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
