// Where the ranks of a launch were found.
import { type Band, type Box, type Figure, figure, type PackagePicture } from "./figure";
import { bindingOf, machinesOf } from "./placement";
import type { Launch, RankPlace } from "./record";
import { formatIds } from "./units";
import { count } from "./words";

/** Of more machines the table tells. */
const MOST_DRAWN = 8;

/** Processors of the first machines as a picture, all ranks in the table. */
export function placementFigure(id: string, launch: Launch): Figure {
  const machines = machinesOf(launch.placement);
  const rest =
    machines.length > MOST_DRAWN
      ? ` The first ${MOST_DRAWN} of ${count(machines.length, "machine")} are drawn; the table holds all.`
      : "";
  return figure({
    id,
    title: "Where the ranks were",
    what: `Processors each rank may run on, by the kernel's numbers; ${bindingOf(launch)}.${rest}`,
    method: "Told by every rank after the launch: host, boot id of its kernel, affinity mask.",
    drawing: { kind: "machine", packages: machines.slice(0, MOST_DRAWN).map(pictureOf) },
    table: () => ({
      columns: ["rank", "host", "machine", "may run on"],
      rows: machines.flatMap((ranks, i) =>
        ranks.map(({ rank, host, cpus }) => [rank, host, i + 1, formatIds(cpus)]),
      ),
    }),
    data: () => launch.placement,
  });
}

/** Ranks of one mask share their boxes; masks that overlap lie in bands below each other. */
function pictureOf(ranks: RankPlace[], index: number): PackagePicture {
  const cpus = [...new Set(ranks.flatMap((one) => one.cpus))].sort((a, b) => a - b);
  const at = new Map(cpus.map((cpu, i) => [cpu, i]));
  const bands: Band[] = layered(sharedMasks(ranks)).map((masks, i) => ({
    label: i === 0 ? "ranks on processors" : "ranks that share processors with those above",
    measured: "",
    role: i === 0 ? "level2" : "level1",
    boxes: masks.flatMap((mask) => boxesOf(mask, at)),
  }));
  return {
    title: ranks[0]?.host ?? `machine ${index + 1}`,
    detail: `${count(ranks.length, "rank")}, processors ${formatIds(cpus)}`,
    columns: Math.max(1, cpus.length),
    bands,
  };
}

interface Mask {
  cpus: number[];
  ranks: number[];
}

function sharedMasks(ranks: RankPlace[]): Mask[] {
  const found = new Map<string, Mask>();
  for (const { rank, cpus } of ranks) {
    const key = cpus.join();
    const mask = found.get(key);
    if (mask) mask.ranks.push(rank);
    else found.set(key, { cpus, ranks: [rank] });
  }
  return [...found.values()];
}

function layered(masks: Mask[]): Mask[][] {
  const layers: { taken: Set<number>; masks: Mask[] }[] = [];
  for (const mask of masks) {
    let layer = layers.find(({ taken }) => !mask.cpus.some((cpu) => taken.has(cpu)));
    if (!layer) layers.push((layer = { taken: new Set(), masks: [] }));
    layer.masks.push(mask);
    for (const cpu of mask.cpus) layer.taken.add(cpu);
  }
  return layers.map(({ masks: own }) => own);
}

/** One box for each run of neighbouring processors. */
function boxesOf({ cpus, ranks }: Mask, at: Map<number, number>): Box[] {
  const text = formatIds(ranks);
  const places = cpus.map((cpu) => at.get(cpu) ?? 0).sort((a, b) => a - b);
  const starts = places.filter((place, i) => places[i - 1] !== place - 1);
  return starts.map((from) => {
    let span = 1;
    while (places.includes(from + span)) span += 1;
    return { from, span, text, detail: `rank ${text} on processors ${formatIds(cpus)}` };
  });
}
