// Where the ranks were found.
import { type Band, type Block, type Box, figure, note, type PackagePicture } from "../model/figure";
import { bindingOf, machinesOf } from "../model/placement";
import type { Launch, RankPlace } from "../model/record";
import { runOf } from "../model/run";
import { formatIds } from "../model/units";
import { registerView } from "../model/view";
import { count } from "../model/words";

/** Of more machines the table tells. */
const MOST_DRAWN = 8;

registerView({
  section: "run",
  order: 2,
  blocks: (record) => {
    const launch = runOf(record)?.launch;
    return launch && launch.placement.length > 0 ? placementFigure(launch) : [];
  },
});

function placementFigure(launch: Launch): Block[] {
  const machines = machinesOf(launch.placement);
  const rest =
    machines.length > MOST_DRAWN
      ? [
          note(
            `The first ${MOST_DRAWN} of ${count(machines.length, "machine")} are drawn; the table holds all.`,
          ),
        ]
      : [];
  return [
    figure({
      id: "placement",
      title: "Where the ranks were",
      what: `Processors each rank may run on, by the kernel's numbers; ${bindingOf(launch)}.`,
      method: "Told by every rank after the launch: host, boot id of its kernel, affinity mask.",
      drawing: { kind: "machine", packages: machines.slice(0, MOST_DRAWN).map(pictureOf) },
      table: () => ({
        columns: ["rank", "host", "machine", "may run on"],
        rows: machines.flatMap((ranks, i) =>
          ranks.map(({ rank, host, cpus }) => [rank, host, i + 1, formatIds(cpus)]),
        ),
      }),
      data: () => launch.placement,
    }),
    ...rest,
  ];
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
