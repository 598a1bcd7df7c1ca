// The node drawn from what the system declares, with what was measured beside it.
import {
  type Band,
  type Box,
  type CellValue,
  figure,
  note,
  type PackagePicture,
  type Role,
} from "../model/figure";
import type {
  Cache,
  NodeFacts,
  SurveyFacts,
  Topology,
  TopologyCache,
  TopologyCore,
  TopologyNuma,
} from "../model/record";
import { cacheName, surveyFacts } from "../model/survey";
import { formatIds, formatQuantity, formatValue } from "../model/units";
import { registerView } from "../model/view";

registerView({
  section: "machine",
  blocks: (record) => {
    const facts = surveyFacts(record);
    if (!facts) return [];
    if (!facts.declared) return [note("The system declared no topology, so there is nothing to draw.")];
    const declared = facts.declared;
    return [
      figure({
        id: "machine",
        title: "The node as declared, with measured values",
        what:
          "One column per hardware thread (logical number); a box spans the threads that share it. " +
          "Faded cores were not available to this run.",
        method: `Topology from ${declared.source}; measured values from this survey.`,
        drawing: { kind: "machine", packages: packagesOf(declared, facts.node) },
        table: () => ({ columns: CORE_COLUMNS, rows: coreRows(facts, declared) }),
        data: () => declared,
      }),
    ];
  },
});

const MAX_THREADS_TOLD_PER_PACKAGE = 32;

/** One package with the positions of its hardware threads. */
interface Package {
  id: number;
  cores: TopologyCore[];
  column: Map<number, number>;
  allowed: Set<number>;
}

function packagesOf(declared: Topology, node: NodeFacts): PackagePicture[] {
  const ids = [...new Set(declared.cores.map((core) => core.package))].sort((a, b) => a - b);
  const packages = ids.map((id, i) => packagePicture(packageOf(declared, id), declared, i, node));
  return [...packages, ...memoryWithoutCores(declared)];
}

/** Measured values are told once where there are many threads; all packages are alike to the survey. */
function packagePicture(one: Package, declared: Topology, index: number, node: NodeFacts): PackagePicture {
  const bands = [
    coreBand(one, node),
    ...cacheBands(one, declared, node),
    ...memoryBands(one, declared, node),
  ];
  const silent = index > 0 && declared.cores.length > MAX_THREADS_TOLD_PER_PACKAGE;
  return {
    title: `Package ${one.id}`,
    detail: `hardware threads ${formatIds(one.cores.map((core) => core.logical))}`,
    columns: one.cores.length,
    bands: silent ? bands.map((band) => ({ ...band, measured: "" })) : bands,
  };
}

function memoryWithoutCores({ numa }: Topology): PackagePicture[] {
  const places = numa.filter(({ cores }) => cores.length === 0);
  if (places.length === 0) return [];
  const boxes = places.map((place, from): Box => ({
    from,
    span: 1,
    text: placeText(place),
    detail: placeText(place),
  }));
  const band: Band = { label: "Memory, by NUMA node", measured: "", role: "memory", boxes };
  return [{ title: "Memory without cores", detail: "", columns: places.length, bands: [band] }];
}

function packageOf(declared: Topology, id: number): Package {
  const cores = declared.cores
    .filter((core) => core.package === id)
    .sort((a, b) => a.numa - b.numa || a.core - b.core || a.logical - b.logical);
  return {
    id,
    cores,
    column: new Map(cores.map((core, i) => [core.logical, i])),
    allowed: new Set(declared.allowed),
  };
}

/** The box over the columns of those threads that lie in this package, null if none does. */
function boxOver(one: Package, threads: number[], text: string, detail: string): Box | null {
  const columns = threads.map((id) => one.column.get(id)).filter((column) => column !== undefined);
  if (columns.length === 0) return null;
  const from = Math.min(...columns);
  return { from, span: Math.max(...columns) - from + 1, text, detail };
}

function present(boxes: (Box | null)[]): Box[] {
  return boxes.filter((box) => box !== null).sort((a, b) => a.from - b.from);
}

function coreBand(one: Package, { clock }: NodeFacts): Band {
  return {
    label: "Cores",
    measured: clock ? formatQuantity(clock.core_frequency) : "",
    role: "core",
    boxes: present(
      groupByCore(one.cores).map((threads) => {
        const ids = threads.map((thread) => thread.logical);
        const physical = formatIds(threads.map((thread) => thread.physical));
        const usable = ids.some((id) => one.allowed.has(id));
        const box = boxOver(one, ids, ids.join(" "), `core: logical ${formatIds(ids)}, physical ${physical}`);
        return box && { ...box, faded: !usable };
      }),
    ),
  };
}

function groupByCore(cores: TopologyCore[]): TopologyCore[][] {
  const groups = new Map<number, TopologyCore[]>();
  for (const core of cores) groups.set(core.core, [...(groups.get(core.core) ?? []), core]);
  return [...groups.values()];
}

function cacheBands(one: Package, declared: Topology, node: NodeFacts): Band[] {
  const data = declared.caches.filter((cache) => cache.kind !== "instruction");
  const levels = [...new Set(data.map((cache) => cache.level))].sort((a, b) => a - b);
  return levels
    .map((level) =>
      cacheBand(
        one,
        data.filter((cache) => cache.level === level),
        node,
      ),
    )
    .filter((band) => band.boxes.length > 0);
}

function cacheBand(one: Package, caches: TopologyCache[], node: NodeFacts): Band {
  const [first] = caches;
  const level = first?.level ?? 0;
  const measured = node.caches.find((cache) => cache.level === level);
  return {
    label: first ? `${cacheName(first)} · ${sizeText(first.size_bytes)} declared` : "",
    measured: measured ? measuredCache(measured) : "",
    role: roleOf(level),
    boxes: present(
      caches.map((cache) => {
        const size = sizeText(cache.size_bytes);
        return boxOver(
          one,
          cache.cores,
          size,
          `${cacheName(cache)} ${size}: threads ${formatIds(cache.cores)}`,
        );
      }),
    ),
  };
}

function roleOf(level: number): Role {
  if (level <= 1) return "level1";
  return level === 2 ? "level2" : "level3";
}

function measuredCache({ size, latency }: Cache): string {
  return `${formatQuantity(size)}, ${formatQuantity(latency)}`;
}

function memoryBands(one: Package, declared: Topology, { memory }: NodeFacts): Band[] {
  const boxes = present(declared.numa.map((place) => memoryBox(one, place)));
  if (boxes.length === 0) return [];
  const measured = memory?.latency ? formatQuantity(memory.latency) : "";
  return [{ label: "Memory, by NUMA node", measured, role: "memory", boxes }];
}

function memoryBox(one: Package, place: TopologyNuma): Box | null {
  const { logical, physical, cores } = place;
  const detail = `NUMA node: logical ${logical}, physical ${physical}, threads ${formatIds(cores)}`;
  return boxOver(one, cores, placeText(place), detail);
}

function placeText({ logical, memory_bytes, memory_side_cache_bytes: cache }: TopologyNuma): string {
  const size = memory_bytes === null ? "" : ` · ${sizeText(memory_bytes)}`;
  return `NUMA ${logical}${size}${cache ? ` behind ${sizeText(cache)} of cache` : ""}`;
}

function sizeText(bytes: number | null): string {
  return bytes === null ? "size unknown" : formatValue(bytes, "B");
}

const CORE_COLUMNS = ["logical", "physical", "core", "package", "NUMA node", "usable", "caches shared with"];

function coreRows({ declared }: SurveyFacts, { cores, allowed }: Topology): CellValue[][] {
  const usable = new Set(allowed);
  return cores.map(({ logical, physical, core, package: home, numa }) => [
    logical,
    physical,
    core,
    home,
    numa,
    usable.has(logical),
    sharedBy(declared?.caches ?? [], logical),
  ]);
}

function sharedBy(caches: TopologyCache[], logical: number): string {
  return caches
    .filter((cache) => cache.kind !== "instruction" && cache.cores.includes(logical))
    .map((cache) => `${cacheName(cache)}: ${formatIds(cache.cores)}`)
    .join("; ");
}
