// How everything here is bundled: one place for targets and for the list of views.
import { execFileSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

// Browsers of 2021 and later; long content also needs DecompressionStream (2023).
const BROWSERS = ["chrome90", "firefox90", "safari15"];

/** `import "all-views"` imports every file of views/, so that adding a view is adding a file. */
const allViews = {
  name: "all-views",
  setup(build) {
    build.onResolve({ filter: /^all-views$/ }, () => ({ path: "all-views", namespace: "views" }));
    build.onLoad({ filter: /.*/, namespace: "views" }, async () => {
      const files = (await readdir(join(ROOT, "views"))).filter((name) => /^\w+\.ts$/.test(name)).sort();
      return {
        contents: files.map((name) => `import "./views/${name}";`).join("\n"),
        resolveDir: ROOT,
        watchDirs: [join(ROOT, "views")],
      };
    });
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
    plugins: [allViews],
  });
  return outputFiles[0].text;
}

/** Bundles tests for Node into dist/, unless that is somebody else's, and returns the files to run. */
export async function nodeBundles(entries) {
  execFileSync(join(ROOT, "../tools/made.sh"), ["claim", "viewer/dist"], { stdio: "inherit" });
  await build({
    absWorkingDir: ROOT,
    entryPoints: entries,
    bundle: true,
    outdir: "dist",
    outbase: ".",
    outExtension: { ".js": ".mjs" },
    format: "esm",
    platform: "node",
    target: "node18",
    packages: "external",
    sourcemap: "inline",
    plugins: [allViews],
  });
  return entries.map((entry) => join("dist", entry.replace(/\.ts$/, ".mjs")));
}
