// The page of a trace in a real browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before } from "node:test";
import type { Page } from "playwright-core";
import { exampleMapping, exampleTrace, type MadePage, pageOf, recordFile, traceOfStates } from "./pages";
import { assertSound, assertSoundWithTables, describeInBrowser, rowsOf } from "./browser";

/** A trace of one call under as many names. */
function traceOfCalls(name: string, from: string, number: number): string {
  const record = JSON.parse(readFileSync(from, "utf8")) as { facts: { calls: object[] } };
  const [first] = record.facts.calls;
  record.facts.calls = Array.from({ length: number }, (_, i) => ({ ...first, label: `MPI_Call_${i}` }));
  return recordFile(name, record);
}

const RUNNING = 1;
const WAITING = 3;
const STEP = 1000;
const STEPS = 72;

/** Even ranks compute all the time, others wait in the second half of it. The last rank comes late. */
function statesOf(ranks: number): number[][] {
  const states = Array.from({ length: STEPS }, (_, step) =>
    Array.from({ length: ranks }, (_, rank) => {
      const waits = rank % 2 === 1 && step >= STEPS / 2;
      return [rank, step * STEP, (step + 1) * STEP, waits ? WAITING : RUNNING];
    }),
  );
  return states.flat().filter(([rank, begin]) => rank !== ranks - 1 || (begin ?? 0) >= (STEPS * STEP) / 4);
}

/** The colour in the middle of a bin of a timeline of four ranks, as the style sheet writes it. */
function colourIn(page: Page, cell: { row: number; column: number }): Promise<string> {
  return page.locator("#trace-timeline image").evaluate(async (element, { row, column }) => {
    const image = new Image();
    image.src = element.getAttribute("href") ?? "";
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    const context = canvas.getContext("2d");
    context?.drawImage(image, 0, 0);
    const line = Math.floor((image.height / 4) * (row + 0.5));
    const [red, green, blue, alpha] = context?.getImageData(column, line, 1, 1).data ?? [];
    const hex = [red, green, blue].map((one) => (one ?? 0).toString(16).padStart(2, "0"));
    return alpha ? `#${hex.join("")}` : "";
  }, cell);
}

/** At shares of the width and of the height of a timeline. */
async function pointAt(page: Page, x: number, y: number): Promise<void> {
  const bins = page.locator("#trace-timeline image");
  const box = await bins.boundingBox();
  assert.ok(box);
  await bins.hover({ position: { x: x * box.width, y: y * box.height } });
}

function tone(page: Page, number: number): Promise<string> {
  return page.evaluate(
    (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim(),
    `--series-${number}`,
  );
}

describeInBrowser("timeline of a trace", (open, test) => {
  let four: MadePage;
  let many: MadePage;

  before(async () => {
    four = await pageOf("timeline", traceOfStates("timeline-4", 4, statesOf(4)));
    many = await pageOf("timeline-many", traceOfStates("timeline-130", 130, statesOf(130)));
  });

  test("phone, desktop and paper, light and dark: all has its room, a name and a table with all rows; nothing is fetched", async () => {
    await assertSoundWithTables(open, [four, many]);
  });

  test("each bin has the colours of its states, in the light and in the dark", async () => {
    const { page } = await open(four);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
      const [running, waiting] = [await tone(page, 0), await tone(page, 1)];
      assert.equal(await colourIn(page, { row: 0, column: 120 }), running);
      assert.equal(await colourIn(page, { row: 1, column: 5 }), running);
      assert.equal(await colourIn(page, { row: 1, column: 120 }), waiting);
      assert.equal(await colourIn(page, { row: 3, column: 5 }), "", "the rank is not there yet");
    }
  });

  test("keys and pointer say what a rank did when", async () => {
    const { page } = await open(four);
    const readout = page.locator("#trace-timeline .readout");
    await page.locator("#trace-timeline .timeline").focus();
    await page.keyboard.press("ArrowRight");
    assert.match((await readout.textContent()) ?? "", /^rank 0, 0\.\d+ µs to [\d.]+ µs: Running 100\s%$/);
    await pointAt(page, 0.9, 0.3);
    assert.match(
      (await readout.textContent()) ?? "",
      /^rank 1, 6\d(\.\d+)? µs to .*: Waiting a message 100\s%$/,
    );
    await pointAt(page, 0.1, 0.9);
    assert.match((await readout.textContent()) ?? "", /^rank 3, .*: not there, or not traced$/);
  });

  test("many ranks are rows of neighbours, with the shares of all of them", async () => {
    const { page } = await open(many);
    assert.match(
      (await page.locator("#trace-timeline").textContent()) ?? "",
      /A row is 3 neighbouring ranks/,
    );
    await pointAt(page, 0.9, 0.01);
    assert.match(
      (await page.locator("#trace-timeline .readout").textContent()) ?? "",
      /^rank 0 to 2, .*: Running 67\s%, Waiting a message 33\s%$/,
    );
  });
});

describeInBrowser("page of a trace", (open, test) => {
  let whole: MadePage;
  let large: MadePage;
  let several: MadePage;
  let joined: MadePage;
  let varied: MadePage;

  before(async () => {
    const eight = await exampleTrace("trace-8");
    const many = exampleTrace("trace-1000", "--ranks", "1000", "--bare");
    whole = await pageOf("trace", eight);
    large = await pageOf("trace-large", many);
    several = await pageOf("traces", eight, exampleTrace("trace-other", "--ranks", "16", "--seed", "2"));
    varied = await pageOf("trace-varied", traceOfCalls("trace-of-calls", eight, 20));
    joined = await pageOf("trace-joined", eight, exampleMapping("mapping-beside"));
  });

  test("phone, desktop and paper, light and dark: all has its room, a name and a table with all rows; nothing is fetched", async () => {
    await assertSoundWithTables(open, [whole, large, several]);
    await assertSound(open, [joined]);
  });

  test("each rank is a row of parts, one for useful time and one for each call", async () => {
    const { page } = await open(whole, { visit: "shared" });
    const parts = page.locator("#trace-ranks .stacks .part");
    assert.equal(await parts.count(), 8 * 7);
    assert.match(
      (await parts
        .nth(3 * 7)
        .locator("title")
        .textContent()) ?? "",
      /^3: useful 1\.[78]\d s$/,
    );
    const widths = await parts.evaluateAll((all) => all.map((one) => Number(one.getAttribute("width"))));
    assert.ok((widths[3 * 7] ?? 0) > 1.3 * (widths[0] ?? 0), "the rank with more work has the longer part");
    assert.deepEqual(await rowsOf(page, "trace-ranks"), { total: 8, shown: 8 });
  });

  test("a thousand ranks are 63 rows, and all are in the table", async () => {
    const { page } = await open(large);
    assert.equal(await page.locator("#trace-ranks .stacks .name").count(), 63);
    assert.equal((await rowsOf(page, "trace-ranks")).total, 1000);
  });

  test("the longest call sites are drawn, and all are in the table", async () => {
    const { page } = await open(whole, { visit: "shared" });
    assert.equal(await page.locator("#trace-call-sites .systems tbody tr:not(.details)").count(), 12);
    assert.equal((await rowsOf(page, "trace-call-sites")).total, 24);
  });

  test("many calls can be searched, and are called calls", async () => {
    const { page } = await open(varied);
    const filter = page.locator("#trace-calls .filter");
    assert.match((await filter.textContent()) ?? "", /20 calls/);
    await filter.getByRole("searchbox", { name: "Show calls whose name contains" }).fill("call_1");
    assert.equal(await page.locator("#trace-calls .systems tbody tr:not(.details)").count(), 11);
  });

  test("a pair without messages says so", async () => {
    const { page } = await open(whole);
    await page.locator("#trace-pairs .heat").focus();
    await page.keyboard.press("ArrowRight");
    assert.match((await page.locator("#trace-pairs .readout").textContent()) ?? "", /to rank 1: 62\.5 MiB/);
    await page.keyboard.press("ArrowRight");
    assert.match((await page.locator("#trace-pairs .readout").textContent()) ?? "", /to rank 2: no message/);
  });

  test("several traces are compared, and a mapping beside one makes a report", async () => {
    const { page } = await open(several);
    assert.equal(await page.locator("#traces .systems tbody tr:not(.details)").count(), 2);
    const both = (await open(joined)).page;
    await both
      .getByRole("heading", { name: /^Trace of a program: trace-8/ })
      .first()
      .waitFor();
    await both
      .getByRole("heading", { name: /^Process mapping: mapping-beside/ })
      .first()
      .waitFor();
  });
});
