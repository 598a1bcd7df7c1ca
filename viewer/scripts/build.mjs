// Builds the report page: one HTML file with its style and script inside and a placeholder for records.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { browserBundle, ROOT } from "./bundle.mjs";

const TARGET = join(ROOT, "../src/groma/report/assets/report.html");
const PLACEHOLDER = '<script type="application/json" id="groma-records"></script>';

/** Replaces a mark by text; a replacement function keeps "$&" of the text as it is. */
function put(html, mark, text) {
  if (!html.includes(mark)) throw new Error(`page/page.html has no ${mark}`);
  return html.replace(mark, () => text);
}

const script = (await browserBundle("page/main.ts"))
  .replaceAll("</script", "<\\/script")
  .replaceAll("<!--", "<\\!--");
const style = await browserBundle("page/style.css");
const skeleton = await readFile(join(ROOT, "page/page.html"), "utf8");
const html = [
  ["/* style */", style.trim()],
  ["<!-- records -->", PLACEHOLDER],
  ["/* script */", script.trim()],
].reduce((text, [mark, content]) => put(text, mark, content), skeleton);

await mkdir(dirname(TARGET), { recursive: true });
await writeFile(TARGET, html);
console.log(`report page: ${Math.round(new TextEncoder().encode(html).length / 1000)} kB`);
