// How everything here is bundled: one place for targets and for what registers itself.
import { execFileSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

// Browsers of 2021 and later; long content also needs DecompressionStream (2023).
const BROWSERS = ["chrome90", "firefox90", "safari15"];

const MODULE = /^[\w/]+\.ts$/;

/** Modules below a folder, by path; what is for tests is left out. */
async function modulesIn(folder) {
  const names = await readdir(join(ROOT, folder), { recursive: true });
  return names
    .filter((name) => MODULE.test(name))
    .sort()
    .map((name) => `${folder}/${name}`);
}

/** `import "all:draw"` imports every module of draw/: what registers itself is found by being there. */
const allModules = {
  name: "all-modules",
  setup(build) {
    build.onResolve({ filter: /^all:/ }, ({ path }) => ({
      path: path.slice("all:".length),
      namespace: "all",
    }));
    build.onLoad({ filter: /.*/, namespace: "all" }, async ({ path }) => ({
      contents: (await modulesIn(path)).map((name) => `import "./${name}";`).join("\n"),
      resolveDir: ROOT,
      watchDirs: [join(ROOT, path)],
    }));
  },
};

/** The minified text of an entry for browsers; `kind` is "js" or "css". */
export async function browserBundle(entry) {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: BROWSERS,
    charset: "utf8",
    legalComments: "none",
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [allModules],
  });
  return outputFiles[0].text;
}

/** Makes dist/, unless that is somebody else's. */
export function claimDist() {
  execFileSync(join(ROOT, "../tools/made.sh"), ["claim", "viewer/dist"], { stdio: "inherit" });
}

/** Bundles modules for Node, one after the other, into dist/NAME.mjs and returns that file. */
export async function nodeBundle(name, modules) {
  claimDist();
  const outfile = `dist/${name}.mjs`;
  await build({
    absWorkingDir: ROOT,
    stdin: { contents: modules.map((module) => `import "./${module}";`).join("\n"), resolveDir: ROOT },
    bundle: true,
    outfile,
    format: "esm",
    platform: "node",
    target: "node18",
    packages: "external",
    sourcemap: "inline",
    plugins: [allModules],
  });
  return join(ROOT, outfile);
}
