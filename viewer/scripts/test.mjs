// Bundles the tests below the given folders (by default those without a browser) and runs them with Node's runner.
import { spawnSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { nodeBundles, ROOT } from "./bundle.mjs";

async function testsIn(folder) {
  const entries = await readdir(join(ROOT, folder), { withFileTypes: true });
  return entries.filter((entry) => entry.name.endsWith(".test.ts")).map((entry) => join(folder, entry.name));
}

const folders = process.argv.length > 2 ? process.argv.slice(2) : ["model", "views"];
const entries = (await Promise.all(folders.map(testsIn))).flat().sort();
const files = await nodeBundles(entries);
const { status } = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...files], {
  cwd: ROOT,
  stdio: "inherit",
});
process.exitCode = status ?? 1;
