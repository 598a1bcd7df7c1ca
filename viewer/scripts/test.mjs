// Bundles the tests below the given folders (by default those without a browser) and runs them with Node's runner, in one
// process: what suites share, such as a browser, is made once.
import { mkdtempSync, rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { nodeBundle, ROOT } from "./bundle.mjs";

/** Milliseconds: tests that never end fail. */
const TIMEOUT = 20 * 60_000;

/** The module of a folder that starts its suites when all of them are there; not every folder has one. */
const START = "start.ts";

async function modulesOf(folder) {
  const names = await readdir(join(ROOT, folder), { recursive: true });
  const tests = names.filter((name) => name.endsWith(".test.ts")).sort();
  return [...tests, ...names.filter((name) => name === START)].map((name) => `${folder}/${name}`);
}

/** What tests, and browsers that they start, leave in the folder for temporary files goes with this process. */
function leaveNothing() {
  const folder = mkdtempSync(join(tmpdir(), "groma-page-"));
  process.env.TMPDIR = folder;
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
}

/** Whoever stops this process stops the tests. */
function stopSignal() {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"]) process.on(name, () => stop.abort());
  return stop.signal;
}

const folders = process.argv.length > 2 ? process.argv.slice(2) : ["base", "kinds"];
const modules = (await Promise.all(folders.map(modulesOf))).flat();
const bundle = await nodeBundle(`tests-of-${folders.join("-")}`, modules);
leaveNothing();
process.chdir(ROOT);
run({ files: [bundle], signal: stopSignal(), timeout: TIMEOUT })
  .on("test:fail", () => {
    process.exitCode = 1;
  })
  .compose(new spec())
  .pipe(process.stdout);
