// What was asked for and where the ranks were found.
import { type Band, type Block, type Box, figure, note, type PackagePicture } from "../model/figure";
import { hpccFacts } from "../model/hpcc";
import { bindingOf, choiceRows, machinesOf, planOf } from "../model/hpcc_plan";
import type { HpccFacts, Launch, PageRecord, RankPlace } from "../model/record";
import { formatIds } from "../model/units";
import { registerView } from "../model/view";
import { count } from "../model/words";

/** Of more machines the table tells. */
const MOST_DRAWN = 8;

registerView({
  section: "run",
  blocks: (record) => {
    const facts = hpccFacts(record);
    if (!facts) return [];
    return [...planFigure(record, facts), ...choiceFigure(facts), ...placementFigure(facts.launch)];
  },
});

function planFigure(record: PageRecord, { plan, launch }: HpccFacts): Block[] {
  const entries = planOf(record);
  if (entries.length === 0) return [];
  return [
    figure({
      id: "hpcc-plan",
      title: "Plan of the run",
      what: "Sizes follow from the HPL matrix as the suite defines them.",
      method: "",
      drawing: null,
      table: () => ({ columns: ["what", "value"], rows: entries.map(({ name, value }) => [name, value]) }),
      data: () => ({ plan, launch }),
    }),
  ];
}

function choiceFigure(facts: HpccFacts): Block[] {
  const rows = choiceRows(facts);
  if (rows.length === 0) return [];
  return [
    figure({
      id: "hpcc-choices",
      title: "Why these sizes",
      what: "What the program chose, and for which reason.",
      method: "",
      drawing: null,
      table: () => ({ columns: ["choice", "value", "why"], rows }),
      data: () => facts.plan.choices,
    }),
  ];
}

function placementFigure(launch: Launch | null): Block[] {
  if (!launch || launch.placement.length === 0) return [];
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
      id: "hpcc-placement",
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
