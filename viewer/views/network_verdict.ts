// The network in one sentence and a row of tiles.
import type { Tile } from "../model/figure";
import { byLatency, networkFacts } from "../model/network";
import type { CommunicationLayer, Distance, NetworkFacts, Quantity, Receiver } from "../model/record";
import { quantityTile } from "../model/tiles";
import { formatQuantity, formatValue } from "../model/units";
import { registerView } from "../model/view";
import { count } from "../model/words";

registerView({
  section: "verdict",
  order: 2,
  blocks: (record) => {
    const network = networkFacts(record);
    const tiles = network ? tilesOf(network) : [];
    return network && tiles.length > 0 ? [{ block: "tiles", lead: leadOf(network), tiles }] : [];
  },
});

/** How many nodes, on how many of which ranks were. */
function leadOf({ launches }: NetworkFacts): string {
  const most = (of: "nodes" | "ranks") => Math.max(0, ...launches.map(({ launch }) => launch[of]));
  const size = most("nodes") > 0 ? ` of ${count(most("nodes"), "node")}` : "";
  return `Its network${size}, with up to ${count(most("ranks"), "rank")}:`;
}

function tilesOf({ layers, distance, receiver }: NetworkFacts): Tile[] {
  return [
    ...layerTile("Message latency", layers, ({ latency }) => latency),
    ...layerTile("Message bandwidth", layers, ({ bandwidth }) => bandwidth),
    ...(distance ? distanceTile(distance) : []),
    ...(receiver ? [receiverTile(receiver)] : []),
  ];
}

type Take = (layer: CommunicationLayer) => Quantity | null;

/** Of the farthest layer, with that of the nearest. */
function layerTile(title: string, layers: CommunicationLayer[], take: Take): Tile[] {
  const told = byLatency(layers).flatMap((layer) => {
    const quantity = take(layer);
    return quantity ? [{ name: layer.name, quantity }] : [];
  });
  const [near, far] = [told[0], told.at(-1)];
  if (!near || !far) return [];
  const nearest = near === far ? [] : [`${near.name}: ${formatQuantity(near.quantity)}`];
  return [quantityTile(title, far.quantity, [far.name, ...nearest])];
}

/** Of the largest distance that was measured above 1. */
function distanceTile({ ratio, nodes, message }: Distance): Tile[] {
  const last = ratio.reduce((found, one, i) => (one ? i : found), 0);
  const quantity = ratio[last];
  if (!quantity || last === 0) return [];
  const size = formatValue(message, "B");
  return [
    quantityTile("Less bandwidth far away", quantity, [
      `at distance ${last + 1} than at 1`,
      `all ${nodes} nodes send ${size} at once`,
    ]),
  ];
}

function receiverTile({ bandwidth, host }: Receiver): Tile {
  return quantityTile("One node takes in", bandwidth, [
    host ? `${host}, from several senders` : "from several senders",
  ]);
}
