// The page of a trace in a real browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before } from "node:test";
import { exampleMapping, exampleTrace, type MadePage, pageOf, recordFile } from "./pages";
import { assertSound, assertSoundWithTables, describeInBrowser, rowsOf } from "./browser";

/** A trace of one call under as many names. */
function traceOfCalls(name: string, from: string, number: number): string {
  const record = JSON.parse(readFileSync(from, "utf8")) as { facts: { calls: object[] } };
  const [first] = record.facts.calls;
  record.facts.calls = Array.from({ length: number }, (_, i) => ({ ...first, label: `MPI_Call_${i}` }));
  return recordFile(name, record);
}

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
