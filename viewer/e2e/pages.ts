// Real pages for the browser tests: records by the Python generator, pages by `groma report`.
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { isQuantity } from "../base/quantity";
import { python } from "../scripts/python.mjs";

const ROOT = resolve("..");

export interface MadePage {
  path: string;
  url: string;
}

const folder = mkdtempSync(join(tmpdir(), "pages-"));
process.env.XDG_DATA_HOME = folder; // the history of whoever runs the tests stays as it is

/** A record file of the synthetic machine, e.g. `example("a", "--cores", "48")`. */
export function example(name: string, ...shape: string[]): string {
  return recordFile(name, python(join(ROOT, "tests/data/example_profile.py"), ...shape));
}

/** A record file of a synthetic network, e.g. `exampleNetwork("a", "--nodes", "1024", "--pairs", "600")`. */
export function exampleNetwork(name: string, ...shape: string[]): string {
  return recordFile(name, python(join(ROOT, "tests/data/example_network.py"), ...shape));
}

/** A record file of a synthetic run of the suite, e.g. `exampleRun("a", "--ranks", "1000")`. */
export function exampleRun(name: string, ...shape: string[]): string {
  return recordFile(name, python(join(ROOT, "tests/data/example_hpcc.py"), ...shape));
}

/** A record file of synthetic RandomAccess, e.g. `exampleAccess("a", "run", "--ranks", "1000")`. */
export function exampleAccess(name: string, ...what: string[]): string {
  return recordFile(name, python(join(ROOT, "tests/data/example_randomaccess.py"), ...what));
}

/** A record file of a synthetic mapping, e.g. `exampleMapping("a", "--side", "32")`. */
export function exampleMapping(name: string, ...shape: string[]): string {
  return recordFile(name, python(join(ROOT, "tests/data/example_mapping.py"), ...shape));
}

/** The file of a synthetic record of the torus simulator: of a run, or of a study. */
export function exampleTorus(name: string, what: string): string {
  return recordFile(name, python(join(ROOT, "tests/data/example_torus.py"), what));
}

/** A record file of each kind. */
export function recordOfEachKind(): string[] {
  const run = exampleRun("suite-beside");
  const other = exampleRun("other-suite-beside", "--seed", "2");
  return [
    example("survey-beside"),
    exampleNetwork("network-beside"),
    run,
    exampleMapping("mapping-beside"),
    exampleTrace("trace-beside"),
    ...["run", "errors", "owner", "bottleneck"].map((what) => exampleAccess(`${what}-beside`, what)),
    ...["run", "study"].map((what) => exampleTorus(`torus-${what}-beside`, what)),
    recordFile("balance-beside", python("-m", "groma", "balance", run, "-q", "--json")),
    recordFile("comparison-beside", python("-m", "groma", "compare", run, other, "--json")),
    recordFile("history-beside", python("-m", "groma", "history", run, other, "--json")),
    recordFile("regions-beside", emptyRecord({ kind: "regions", facts: REGIONS })),
    recordFile("unknown-beside", emptyRecord({ kind: "astrolabe", facts: REGIONS })),
  ];
}

const TOTALS = { thread: 0, calls: 1200, inclusive: 1.5, exclusive: 0.25, counts: [123456789012, 45678901] };
const REGIONS = {
  regions: [["main"], ["main", "a solver of large systems"]].map((path) => ({ path, ...TOTALS })),
  events: ["PAPI_TOT_INS", "PAPI_L2_TCM"],
  host: "node00.a-cluster-with-a-long-name.example.org",
};

/** A record file of a synthetic trace, e.g. `exampleTrace("a", "--ranks", "1000")`. */
export function exampleTrace(name: string, ...shape: string[]): string {
  return recordFile(name, python(join(ROOT, "tests/data/example_trace.py"), ...shape));
}

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

export function recordFile(name: string, content: Buffer | object): string {
  const path = join(folder, `${name}.json`);
  writeFileSync(path, Buffer.isBuffer(content) ? content : JSON.stringify(content));
  return path;
}

export function pageOf(name: string, ...records: string[]): MadePage {
  return pageBy(name, "report", ...records);
}

/** The page that a verb writes, e.g. `pageBy("nights", "history", folder)`. */
export function pageBy(name: string, verb: string, ...words: string[]): MadePage {
  const path = join(folder, `${name}.html`);
  python("-m", "groma", verb, ...words, "-o", path);
  return { path, url: `file://${path}` };
}

/** Outputs of hpcc, each with one run of an invented system. */
export function outputs(count: number): string[] {
  const target = join(folder, `outputs-${count}`);
  python(join(ROOT, "tests/data/example_hpccoutf.py"), target, String(count));
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
  const target = join(folder, name);
  copyFileSync(path, target);
  return target;
}

export function balanceOf(name: string, ...files: string[]): MadePage {
  const path = join(folder, `${name}.html`);
  python("-m", "groma", "balance", ...files, "-o", path, "-q");
  return { path, url: `file://${path}` };
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
