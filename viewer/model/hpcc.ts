// Reading a record of kind "hpcc": of a whole run, of a part of one, or of an old output without samples.
import { factsOf } from "./facts";
import { type Found, oneSample } from "./quantity";
import type { HpccFacts, HpccTest, Figure as Measured, PageRecord, Quantity } from "./record";
import { formatValue } from "./units";

export function hpccFacts(record: PageRecord): HpccFacts | null {
  return factsOf<HpccFacts>(record, "hpcc", "tests");
}

export type Mode = "mpi" | "star" | "single";

export const MODES: Record<string, string> = {
  mpi: "all ranks together",
  star: "each rank, all at once",
  single: "one rank alone",
};

/** A main value of the suite. */
export interface Headline {
  id: string;
  name: string;
  /** With the mode where several have that name. */
  fullName: string;
  mode: Mode;
  quantity: Quantity;
  /** The figure that it is, null where it was read from a summary. */
  figure: Measured | null;
}

interface Definition {
  id: string;
  name: string;
  test: string;
  mode: Mode;
  /** Null where the series is named after the case, as in HPL. */
  series: string | null;
  unit: string;
  /** The key of hpccoutf.txt, and how many units one of its units is. */
  key: string;
  factor: number;
}

/** Name, test, series, mode, unit; key of hpccoutf.txt with its unit in ours. In the order of the suite. */
const RATES: [string, string, string | null, Mode, string, string, number][] = [
  ["HPL", "hpl", null, "mpi", "flop/s", "HPL_Tflops", 1e12],
  ["DGEMM", "dgemm", "dgemm", "star", "flop/s", "StarDGEMM_Gflops", 1e9],
  ["DGEMM", "dgemm", "dgemm", "single", "flop/s", "SingleDGEMM_Gflops", 1e9],
  ["PTRANS", "ptrans", "ptrans", "mpi", "B/s", "PTRANS_GBs", 1e9],
  ["STREAM triad", "stream", "triad", "star", "B/s", "StarSTREAM_Triad", 1e9],
  ["STREAM triad", "stream", "triad", "single", "B/s", "SingleSTREAM_Triad", 1e9],
  ["STREAM copy", "stream", "copy", "star", "B/s", "StarSTREAM_Copy", 1e9],
  ["STREAM copy", "stream", "copy", "single", "B/s", "SingleSTREAM_Copy", 1e9],
  ["RandomAccess", "random_access", "random_access", "mpi", "update/s", "MPIRandomAccess_GUPs", 1e9],
  ["RandomAccess", "random_access", "random_access", "star", "update/s", "StarRandomAccess_GUPs", 1e9],
  ["RandomAccess", "random_access", "random_access", "single", "update/s", "SingleRandomAccess_GUPs", 1e9],
  ["FFT", "fft", "fft", "mpi", "flop/s", "MPIFFT_Gflops", 1e9],
  ["FFT", "fft", "fft", "star", "flop/s", "StarFFT_Gflops", 1e9],
  ["FFT", "fft", "fft", "single", "flop/s", "SingleFFT_Gflops", 1e9],
];

const LATENCIES: [string, string, string][] = [
  ["Ping-pong latency, slowest pair", "ping_pong_latency_max", "MaxPingPongLatency_usec"],
  ["Ping-pong latency, mean of pairs", "ping_pong_latency_mean", "AvgPingPongLatency_usec"],
  ["Ping-pong latency, fastest pair", "ping_pong_latency_min", "MinPingPongLatency_usec"],
  ["Natural ring latency", "natural_ring_latency", "NaturallyOrderedRingLatency_usec"],
  ["Random ring latency", "random_ring_latency", "RandomlyOrderedRingLatency_usec"],
];

const BANDWIDTHS: [string, string, string][] = [
  ["Ping-pong bandwidth, slowest pair", "ping_pong_bandwidth_min", "MinPingPongBandwidth_GBytes"],
  ["Ping-pong bandwidth, mean of pairs", "ping_pong_bandwidth_mean", "AvgPingPongBandwidth_GBytes"],
  ["Ping-pong bandwidth, fastest pair", "ping_pong_bandwidth_max", "MaxPingPongBandwidth_GBytes"],
  ["Natural ring bandwidth, per rank", "natural_ring_bandwidth", "NaturallyOrderedRingBandwidth_GBytes"],
  ["Random ring bandwidth, per rank", "random_ring_bandwidth", "RandomlyOrderedRingBandwidth_GBytes"],
];

const DEFINITIONS: Definition[] = [
  ...RATES.map(([name, test, series, mode, unit, key, factor]) => ({
    id: `${series ?? test} ${mode}`,
    name,
    test,
    series,
    mode,
    unit,
    key,
    factor,
  })),
  ...LATENCIES.map((row) => messageDefinition(row, "s", 1e-6)),
  ...BANDWIDTHS.map((row) => messageDefinition(row, "B/s", 1e9)),
];

function messageDefinition(
  [name, series, key]: (typeof LATENCIES)[number],
  unit: string,
  factor: number,
): Definition {
  return { id: series, name, test: "effective_bandwidth", series, mode: "mpi", unit, key, factor };
}

/** The main values that a record has, in the order of the suite. */
export function headlinesOf(record: PageRecord): Headline[] {
  const facts = hpccFacts(record);
  return facts ? DEFINITIONS.flatMap((definition) => headlineOf(facts, definition)) : [];
}

function headlineOf(facts: HpccFacts, definition: Definition): Headline[] {
  const { id, name, mode } = definition;
  const figure = measuredOf(facts, definition);
  const quantity = figure?.value ?? summarised(facts, definition);
  const fullName = id.endsWith(` ${mode}`) ? `${name} (${mode})` : name;
  return quantity ? [{ id, name, fullName, mode, quantity, figure }] : [];
}

/** The best case that passed its check, as the suite takes it. */
function measuredOf({ tests }: HpccFacts, definition: Definition): Measured | null {
  const found = tests
    .filter(({ name }) => name === definition.test)
    .flatMap((test) =>
      test.figures.filter((figure) => isMeant(figure, definition)).map((figure) => ({ test, figure })),
    );
  const sound = found.filter(({ test, figure }) => !hasFailed(test, figure));
  return (sound.length > 0 ? sound : found).reduce<Measured | null>(
    (best, { figure }) => (best === null || figure.value.value > best.value.value ? figure : best),
    null,
  );
}

/** Figures of other buffers or of single sizes are beside the definition. */
function isMeant({ series, mode, labels, value }: Measured, definition: Definition): boolean {
  const isNamed = definition.series === null || series === definition.series;
  return isNamed && mode === definition.mode && value.unit === definition.unit && !("buffers" in labels);
}

function hasFailed({ checks }: HpccTest, { series }: Measured): boolean {
  return checks.some(({ passed, name }) => !passed && name.endsWith(series));
}

/** -1 and what is no number stand for nothing in hpccoutf.txt. */
function summarised({ summary }: HpccFacts, { key, factor, unit }: Definition): Quantity | null {
  const value = Number(summary[key] ?? Number.NaN);
  return value > 0 && Number.isFinite(value)
    ? oneSample(value * factor, unit, `${key} of hpccoutf.txt`)
    : null;
}

/** Every quantity after its test, series and mode; several of one name are a list. */
export function quantitiesOf({ tests }: HpccFacts): Found[] {
  const all = tests.flatMap(({ name, figures }) =>
    figures.map((figure) => ({ name: `${seriesName(name, figure.series)}, ${figure.mode}`, figure })),
  );
  const byName = new Map<string, Measured[]>();
  for (const { name, figure } of all) byName.set(name, [...(byName.get(name) ?? []), figure]);
  return [...byName].flatMap(([name, figures]) =>
    figures.flatMap((figure, i) => quantitiesOfFigure(figures.length > 1 ? `${name}[${i}]` : name, figure)),
  );
}

function quantitiesOfFigure(path: string, { value, spread }: Measured): Found[] {
  if (!spread) return [{ path, quantity: value }];
  return [
    { path, quantity: value },
    { path: `${path}, slowest rank`, quantity: spread.lowest },
    { path: `${path}, fastest rank`, quantity: spread.highest },
  ];
}

/** How many ranks took part, null where nothing says so. */
export function ranksOf({ launch, summary }: HpccFacts): number | null {
  const said = launch?.ranks ?? Number(summary.CommWorldProcs);
  return said > 0 ? said : null;
}

const NAMES: Record<string, string> = {
  hpl: "HPL",
  dgemm: "DGEMM",
  ptrans: "PTRANS",
  stream: "STREAM",
  random_access: "RandomAccess",
  fft: "FFT",
  effective_bandwidth: "Messages",
};

export function testName(name: string): string {
  return NAMES[name] ?? name;
}

/** In the order of the suite, whatever the order in which they ran; unknown ones last. */
export function inSuiteOrder<T>(items: T[], nameOf: (item: T) => string): T[] {
  const known = Object.keys(NAMES);
  const place = (item: T) => (nameOf(item) in NAMES ? known.indexOf(nameOf(item)) : known.length);
  return [...items].sort((a, b) => place(a) - place(b));
}

/** A series after its test: `DGEMM`, `STREAM triad`, `HPL WR11C2R4 n=1500`. */
export function seriesName(test: string, series: string): string {
  const own =
    series === test ? "" : series.replace(`${test} `, "").replace(`${test}_`, "").replaceAll("_", " ");
  return [testName(test), own].filter(Boolean).join(" ");
}

export function modeName(mode: string): string {
  return MODES[mode] ?? mode;
}

/** What tells a figure from others of its series: `n 1500, grid 1x2`. */
export function labelText(labels: Record<string, unknown>): string {
  return Object.entries(labels)
    .filter(([name]) => name !== "raw")
    .map(([name, value]) =>
      name === "bytes" && typeof value === "number"
        ? formatValue(value, "B")
        : `${name.replaceAll("_", " ")} ${String(value)}`,
    )
    .join(", ");
}
