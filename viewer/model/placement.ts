// How ranks were started and where they were found, in words.
import type { CellValue } from "./figure";
import type { Launch, PageRecord, RankPlace } from "./record";
import { environmentOf } from "./survey";
import { count } from "./words";

export interface Entry {
  name: string;
  value: string;
}

/** Ranks by machine: the boot id tells kernels apart, host names are no proof. */
export function machinesOf(placement: RankPlace[]): RankPlace[][] {
  const found = new Map<string, RankPlace[]>();
  for (const one of placement) {
    const machine = one.boot_id || one.host;
    const ranks = found.get(machine);
    if (ranks) ranks.push(one);
    else found.set(machine, [one]);
  }
  return [...found.values()];
}

/** What the masks of the ranks say about how they were bound. */
export function bindingOf({ placement, threads }: Launch): string {
  if (placement.length === 0) return "not told";
  const crowded = placement.some(({ cpus }) => cpus.length < threads);
  const apart = machinesOf(placement).every(areApart);
  if (crowded) return "some ranks have fewer processors than threads";
  return apart ? "verified: no two ranks share a processor" : "ranks share processors: not bound one by one";
}

function areApart(ranks: RankPlace[]): boolean {
  const all = ranks.flatMap(({ cpus }) => cpus);
  return new Set(all).size === all.length;
}

/** Empty where the record does not say. */
export function processorOf(record: PageRecord): string {
  const { cpu, host } = environmentOf(record);
  return cpu?.model ?? host ?? "";
}

/** ` on Xeon 6148`, empty where the record does not say. */
export function onProcessor(record: PageRecord): string {
  const processor = processorOf(record);
  return processor && ` on ${processor}`;
}

export function launchEntries(launch: Launch): Entry[] {
  return [
    { name: "ranks", value: String(launch.ranks) },
    { name: "threads of each rank", value: String(launch.threads) },
    { name: "machines", value: machinesText(launch) },
    { name: "placement", value: bindingOf(launch) },
    { name: "MPI", value: launch.mpi },
    { name: "BLAS", value: launch.blas },
    { name: "launcher", value: launch.launcher },
    { name: "launch line", value: launch.command },
  ];
}

export function machinesText({ nodes, inter_node }: Launch): string {
  return `${count(nodes, "machine")}: ${inter_node ? "some messages cross a network" : "no message leaves it"}`;
}

/** Why sizes are as they are: what, value, why. */
export function choiceRows(plan: Record<string, unknown>): CellValue[][] {
  const choices = Array.isArray(plan.choices) ? (plan.choices as Record<string, string | undefined>[]) : [];
  return choices.map(({ what, value, why }) => [what ?? null, value ?? null, why ?? null]);
}
