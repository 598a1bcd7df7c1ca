// npm run screenshot -- PAGE.html OUT.png|OUT.pdf [--width 1280] [--dark] [--height 1600 (default: whole page)]
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { pathToFileURL } from "node:url";
import { findChromium, launchChromium } from "./chromium.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    width: { type: "string", default: "1280" },
    height: { type: "string" },
    dark: { type: "boolean", default: false },
  },
});
const [source, target] = positionals;
const executable = findChromium();
if (!source || !target)
  fail("usage: npm run screenshot -- PAGE.html OUT.png [--width 1280] [--height N] [--dark]");
if (!executable) fail("no Chromium found: install it or name it in CHROMIUM");

const browser = await launchChromium(executable);
try {
  const page = await browser.newPage({
    viewport: { width: Number(values.width), height: Number(values.height ?? 900) },
    colorScheme: values.dark ? "dark" : "light",
    deviceScaleFactor: values.height ? 2 : 1,
  });
  await page.goto(pathToFileURL(resolve(source)).href);
  await page.waitForSelector("main section");
  await page.waitForTimeout(300);
  if (target.endsWith(".pdf")) await page.pdf({ path: target, format: "A4" });
  else await page.screenshot({ path: target, fullPage: !values.height });
} finally {
  await browser.close();
}

function fail(message) {
  console.error(message);
  process.exit(2);
}
