// The machine in two sentences and a row of tiles.
import type { Tile } from "../model/figure";
import type { Cache, NodeFacts, PageRecord, ScalingPoint } from "../model/record";
import { cacheName, environmentOf, largest, machineName, surveyFacts } from "../model/survey";
import { quantityTile } from "../model/tiles";
import { formatNumber, formatPoint, formatQuantity, formatShare, formatValue } from "../model/units";
import { registerView } from "../model/view";
import { count } from "../model/words";

registerView({
  section: "verdict",
  order: 1,
  blocks: (record) => {
    const facts = surveyFacts(record);
    return facts
      ? [{ block: "tiles", lead: leadOf(record, facts.node), tiles: tilesOf(record, facts.node) }]
      : [];
  },
});

function leadOf(record: PageRecord, node: NodeFacts): string {
  return [shapeOf(record), surroundingsOf(record), latencySpan(node)].filter(Boolean).join(" ");
}

interface Shape {
  packages: number;
  cores: number;
  threads: number;
  places: number;
  allowed: number;
  memory: number;
}

function shapeFrom(record: PageRecord): Shape | null {
  const facts = surveyFacts(record);
  if (!facts?.declared && !facts?.node.cores.length) return null;
  const cores = facts.declared?.cores ?? facts.node.cores;
  const distinct = (key: (core: (typeof cores)[number]) => unknown) => new Set(cores.map(key)).size;
  return {
    packages: distinct((core) => core.package),
    cores: distinct((core) => core.core ?? core.logical),
    threads: cores.length,
    places: distinct((core) => core.numa),
    allowed: facts.declared?.allowed.length ?? cores.length,
    memory: environmentOf(record).memory?.total_bytes ?? memoryOfNodes(facts.declared?.numa ?? []),
  };
}

/** Guests that memory is plugged into declare less of it per node than there is. */
function memoryOfNodes(nodes: { memory_bytes: number | null }[]): number {
  return nodes.reduce((sum, one) => sum + (one.memory_bytes ?? 0), 0);
}

function shapeOf(record: PageRecord): string {
  const shape = shapeFrom(record);
  if (!shape) return `${machineName(record)}: the system told nothing about its cores.`;
  const parts = [
    count(shape.packages, "package"),
    count(shape.cores, "core"),
    shape.threads > shape.cores ? count(shape.threads, "hardware thread") : "",
    count(shape.places, "NUMA node"),
    shape.memory ? `${formatValue(shape.memory, "B")} of memory` : "",
  ];
  const part =
    shape.allowed < shape.threads ? `, of which this run could use ${count(shape.allowed, "thread")}` : "";
  return `${machineName(record)}: ${parts.filter(Boolean).join(", ")}${part}.`;
}

function surroundingsOf(record: PageRecord): string {
  const { virtualisation } = environmentOf(record);
  const host = virtualisation?.hypervisor;
  const container = virtualisation?.container;
  if (host) {
    return `It is a virtual machine (${host}): what lies beyond the private caches is the share it gets now.`;
  }
  return container ? `The survey ran in a container (${container}).` : "";
}

function latencySpan({ caches, memory }: NodeFacts): string {
  const first = caches[0];
  if (!first || !memory?.latency) return "";
  const times = formatNumber(Math.round(memory.latency.value / first.latency.value));
  return (
    `A load takes ${formatPoint(first.latency)} from the first cache and ` +
    `${formatPoint(memory.latency)} from memory, ${times} times as long.`
  );
}

function tilesOf(record: PageRecord, node: NodeFacts): Tile[] {
  return [
    coresTile(record, node),
    ...node.caches.map(cacheTile),
    memoryTile(node),
    bandwidthTile(node),
    coreToCoreTile(node),
    placeTile(environmentOf(record)),
  ].filter((tile) => tile !== null);
}

/** A tile headed by a quantity. */
function coresTile(record: PageRecord, { clock }: NodeFacts): Tile | null {
  const shape = shapeFrom(record);
  if (!shape) return null;
  const frequency = clock ? [formatQuantity(clock.core_frequency)] : [];
  const smt = shape.threads > shape.cores ? `${shape.threads} hardware threads` : "one thread each";
  return {
    title: "Cores",
    value: String(shape.cores),
    unit: shape.packages > 1 ? `in ${shape.packages} packages` : "",
    interval: "",
    lines: [...frequency, smt],
    declared: null,
  };
}

function cacheTile(cache: Cache): Tile {
  const cycles = cache.latency_cycles ? [formatQuantity(cache.latency_cycles)] : [];
  return quantityTile(`${cacheName(cache)} cache`, cache.size, [formatQuantity(cache.latency), ...cycles]);
}

function memoryTile({ memory }: NodeFacts): Tile | null {
  return memory?.latency ? quantityTile("Memory latency", memory.latency, ["dependent random loads"]) : null;
}

function bandwidthTile({ memory }: NodeFacts): Tile | null {
  const points = Object.entries(memory?.bandwidth ?? {}).flatMap(([kernel, scaling]) =>
    scaling.map((point) => ({ kernel, point })),
  );
  const best = largest(points, ({ point }) => point.value);
  if (!best) return null;
  return quantityTile("Memory bandwidth", best.point.value, [
    `${best.kernel} on ${count(best.point.cores, "core")}`,
    ...(best.point.cores > 1 ? aloneOf(memory?.bandwidth[best.kernel] ?? []) : []),
  ]);
}

function aloneOf(points: ScalingPoint[]): string[] {
  const alone = points.find(({ cores }) => cores === 1);
  return alone ? [`one core: ${formatQuantity(alone.value)}`] : [];
}

function coreToCoreTile({ core_to_core: found }: NodeFacts): Tile | null {
  const [near, ...others] = found?.layers ?? [];
  if (!near) return null;
  const far = others.at(-1);
  const lines = far ? ["nearest pairs", `farthest: ${formatQuantity(far.latency)}`] : ["all pairs alike"];
  return quantityTile("Core to core", near.latency, lines);
}

function placeTile({ virtualisation, noise }: ReturnType<typeof environmentOf>): Tile | null {
  if (!virtualisation) return null;
  const steal = noise?.steal;
  return {
    title: "Runs on",
    value: virtualisation.hypervisor ? "virtual machine" : "bare metal",
    unit: "",
    interval: "",
    lines: [
      ...(virtualisation.hypervisor ? [`hypervisor: ${virtualisation.hypervisor}`] : []),
      ...(virtualisation.container ? [`container: ${virtualisation.container}`] : []),
      ...(typeof steal === "number" ? [`stolen CPU time: ${formatShare(steal)}`] : []),
    ],
    declared: null,
  };
}
