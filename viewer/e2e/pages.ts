// Real pages for the browser tests: records by the Python generator, pages by `groma report`.
import { copyFileSync, linkSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { isQuantity } from "../base/quantity";
import { printed } from "../scripts/python.mjs";

const ROOT = resolve("..");

export interface MadePage {
  path: string;
  url: string;
}

/** What perhaps is still being made. */
type Later<T> = T | Promise<T>;

const folder = mkdtempSync(join(tmpdir(), "pages-"));
process.env.XDG_DATA_HOME = folder; // the history of whoever runs the tests stays as it is

/** A generator of tests/data, called with the name of a record file and its options; same options are made once. */
function generator(script: string): (name: string, ...options: string[]) => Promise<string> {
  const made = new Map<string, Promise<string>>();
  return async (name, ...options) => {
    const key = options.join("\n");
    const same = made.get(key) ?? recordBy("made", join(ROOT, "tests/data", script), ...options);
    made.set(key, same);
    const path = fileNamed(`${name}.json`);
    linkSync(await same, path);
    return path;
  };
}

/** A record file of the synthetic machine, e.g. `example("a", "--cores", "48")`. */
export const example = generator("example_profile.py");

/** A record file of a synthetic network, e.g. `exampleNetwork("a", "--nodes", "1024", "--pairs", "600")`. */
export const exampleNetwork = generator("example_network.py");

/** A record file of a synthetic run of the suite, e.g. `exampleRun("a", "--ranks", "1000")`. */
export const exampleRun = generator("example_hpcc.py");

/** A record file of synthetic RandomAccess, e.g. `exampleAccess("a", "run", "--ranks", "1000")`. */
export const exampleAccess = generator("example_randomaccess.py");

/** A record file of a synthetic mapping, e.g. `exampleMapping("a", "--side", "32")`. */
export const exampleMapping = generator("example_mapping.py");

/** A record file of a synthetic trace, e.g. `exampleTrace("a", "--ranks", "1000")`. */
export const exampleTrace = generator("example_trace.py");

/** The file of a synthetic record of the torus simulator: of a "run", or of a "study". */
export const exampleTorus = generator("example_torus.py");

let ofEachKind: Promise<MadePage> | null = null;

/** The page that joins a record of each kind; several suites look at it. */
export function pageOfEachKind(): Promise<MadePage> {
  ofEachKind ??= recordOfEachKind().then((records) => pageOf("joined", ...records));
  return ofEachKind;
}

/** A record file of each kind. */
async function recordOfEachKind(): Promise<string[]> {
  const run = await exampleRun("suite-beside");
  const other = await exampleRun("other-suite-beside", "--seed", "2");
  const made = await Promise.all([
    example("survey-beside"),
    exampleNetwork("network-beside"),
    exampleRun("suite-beside"),
    exampleMapping("mapping-beside"),
    exampleTrace("trace-beside"),
    ...["run", "errors", "owner", "bottleneck"].map((what) => exampleAccess(`${what}-beside`, what)),
    ...["run", "study"].map((what) => exampleTorus(`torus-${what}-beside`, what)),
    recordByVerb("balance-beside", "balance", run, "-q"),
    recordByVerb("comparison-beside", "compare", run, other),
    recordByVerb("history-beside", "history", run, other),
  ]);
  const regions = emptyRecord({ kind: "regions", facts: REGIONS });
  const unknown = emptyRecord({ kind: "astrolabe", facts: REGIONS });
  return [...made, recordFile("regions-beside", regions), recordFile("unknown-beside", unknown)];
}

/** The record that a verb prints. */
function recordByVerb(name: string, verb: string, ...words: string[]): Promise<string> {
  return recordBy(name, "-m", "groma", verb, ...words, "--json");
}

/** The record that a program prints. */
async function recordBy(name: string, ...words: string[]): Promise<string> {
  const path = fileNamed(`${name}.json`);
  await printed(path, ...words);
  return path;
}

const TOTALS = { thread: 0, calls: 1200, inclusive: 1.5, exclusive: 0.25, counts: [123456789012, 45678901] };
const REGIONS = {
  regions: [["main"], ["main", "a solver of large systems"]].map((path) => ({ path, ...TOTALS })),
  events: ["PAPI_TOT_INS", "PAPI_L2_TCM"],
  host: "node00.a-cluster-with-a-long-name.example.org",
};

const NAMES = new Set(["name", "host", "model", "role", "machine", "title", "program", "what", "metric"]);

/** A copy of a record whose names are all replaced by this one. */
export function renamed(path: string, name: string): string {
  const { kind, schema, ...record } = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  return recordFile(`${basename(path, ".json")}-renamed`, {
    ...{ kind, schema },
    ...(withNames(record, name) as object),
  });
}

function withNames(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((one) => withNames(one, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      NAMES.has(key) && typeof one === "string" && one ? name : withNames(one, name),
    ]),
  );
}

/** A copy of a record whose quantities all have these fields. */
export function requantified(path: string, fields: object): string {
  const { facts, ...record } = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  const name = `${basename(path, ".json")}-requantified`;
  return recordFile(name, { ...record, facts: withFields(facts, fields) });
}

function withFields(value: unknown, fields: object): unknown {
  if (Array.isArray(value)) return value.map((one) => withFields(one, fields));
  if (typeof value !== "object" || value === null) return value;
  if (isQuantity(value)) return { ...value, ...fields };
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withFields(one, fields)]));
}

/** The record of a trace of states: rank, begin and end (ns), number of the state; in the order of their begins. */
export function traceOfStates(name: string, ranks: number, states: number[][]): Promise<string> {
  const path = fileNamed(`${name}.prv`);
  const end = Math.max(...states.map(([, , to]) => to ?? 0));
  const tasks = Array.from({ length: ranks }, () => "1:1").join(",");
  const lines = states.map(([rank, ...rest]) => {
    const number = (rank ?? 0) + 1;
    return `1:${number}:1:${number}:1:${rest.join(":")}`;
  });
  const head = `#Paraver (01/01/2026 at 00:00):${end}_ns:1(${ranks}):1:${ranks}(${tasks}),0`;
  writeFileSync(path, [head, ...lines, ""].join("\n"));
  return recordByVerb(name, "stat", path);
}

/** A copy of a page with a part of its content replaced: what groma does not write. */
export function altered({ path }: MadePage, part: RegExp, by: string): MadePage {
  const target = path.replace(/\.html$/, "-altered.html");
  const text = readFileSync(path, "utf8");
  const other = text.replace(part, by);
  if (other === text) throw new Error(`${path} has no ${String(part)}`);
  writeFileSync(target, other);
  return { path: target, url: `file://${target}` };
}

/** The summary of an old hpccoutf.txt as a record holds it: its keys and values, and nothing else. */
export function oldSummary(): Record<string, string> {
  const text = readFileSync(join(ROOT, "tests/data/hpcc/groma-hpccoutf.txt"), "utf8");
  const pairs = text.split("\n").flatMap((line) => {
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    return key && value !== undefined ? [[key, value] as const] : [];
  });
  return Object.fromEntries(pairs);
}

/** In a folder of its own: suites give the same names. */
function fileNamed(name: string): string {
  return join(mkdtempSync(join(folder, "file-")), name);
}

export function recordFile(name: string, content: object): string {
  const path = fileNamed(`${name}.json`);
  writeFileSync(path, JSON.stringify(content));
  return path;
}

export function pageOf(name: string, ...records: Later<string>[]): Promise<MadePage> {
  return pageBy(name, "report", ...records);
}

/** The page that a verb writes, e.g. `pageBy("nights", "history", folder)`. */
export async function pageBy(name: string, verb: string, ...words: Later<string>[]): Promise<MadePage> {
  const path = fileNamed(`${name}.html`);
  const given = await Promise.all(words.map((word) => Promise.resolve(word)));
  await printed("/dev/null", "-m", "groma", verb, ...given, "-o", path);
  return { path, url: `file://${path}` };
}

/** Outputs of hpcc, each with one run of an invented system. */
export async function outputs(count: number): Promise<string[]> {
  const target = fileNamed("outputs");
  await printed("/dev/null", join(ROOT, "tests/data/example_hpccoutf.py"), target, String(count));
  return readdirSync(target)
    .sort()
    .map((name) => join(target, name));
}

/** Outputs of hpcc and of groma as they were written. */
export function realOutputs(): string[] {
  return ["debian", "groma"].map((program) => join(ROOT, `tests/data/hpcc/${program}-hpccoutf.txt`));
}

/** A copy of a file under another name. */
export function copied(path: string, name: string): string {
  const target = fileNamed(name);
  copyFileSync(path, target);
  return target;
}

export function balanceOf(name: string, ...files: string[]): Promise<MadePage> {
  return pageBy(name, "balance", ...files, "-q");
}

/** A record without measurements; `changes` fill it. */
export function emptyRecord(changes: object): object {
  return {
    schema: "groma.record/1",
    kind: "survey",
    created: "2025-03-01T00:00:00+00:00",
    command: ["groma", "survey"],
    build: { version: "0" },
    environment: {},
    parameters: {},
    samples: {},
    facts: { node: {} },
    warnings: [],
    ...changes,
  };
}
