// Bundles the tests below the given folders (by default those without a browser) and runs them with Node's runner.
import { setMaxListeners } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { nodeBundles, ROOT } from "./bundle.mjs";

/** Tests of pages wait for browsers and for Python about half of their time. */
const SUITES_AT_ONCE = 2 * availableParallelism();

/** Milliseconds for the tests of a file: those that never end fail. */
const TIMEOUT = 20 * 60_000;

async function testsIn(folder) {
  const names = await readdir(join(ROOT, folder), { recursive: true });
  return names.filter((name) => name.endsWith(".test.ts")).map((name) => join(folder, name));
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
  setMaxListeners(0, stop.signal); // each suite listens
  for (const name of ["SIGINT", "SIGTERM"]) process.on(name, () => stop.abort());
  return stop.signal;
}

const folders = process.argv.length > 2 ? process.argv.slice(2) : ["base", "kinds"];
const entries = (await Promise.all(folders.map(testsIn))).flat().sort();
const bundles = await nodeBundles(entries);
leaveNothing();
process.chdir(ROOT);
run({
  files: bundles.map((file) => join(ROOT, file)),
  concurrency: SUITES_AT_ONCE,
  signal: stopSignal(),
  timeout: TIMEOUT,
})
  .on("test:fail", () => {
    process.exitCode = 1;
  })
  .compose(new spec())
  .pipe(process.stdout);
