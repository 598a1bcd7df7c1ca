// The page of a process mapping in a real browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before } from "node:test";
import { exampleMapping, type MadePage, pageOf, recordFile } from "./pages";
import { assertSound, assertSoundWithTables, describeInBrowser, rowsOf } from "./browser";

interface MappingRecord {
  facts: { gain: object | null; verification: object | null; targets: object[] };
}

describeInBrowser("page of a mapping", (open, test) => {
  let whole: MadePage;
  let large: MadePage;
  let planned: MadePage;

  before(async () => {
    whole = await pageOf("mapping", exampleMapping("mapping-16"));
    large = await pageOf("mapping-large", exampleMapping("mapping-1024", "--side", "32"));
    const plan = recordFile("mapping-plan", onlyPlanned(await exampleMapping("mapping-9")));
    planned = await pageOf("mapping-planned", plan);
  });

  test("phone, desktop and paper, light and dark: all has its room, a name and a table with all rows; nothing is fetched", async () => {
    await assertSoundWithTables(open, [whole, large]);
    await assertSound(open, [planned]);
  });

  test("the mapping stands marked among placements, and sorts to the top by hop-bytes", async () => {
    const { page } = await open(whole);
    const rows = page.locator("#mapping-quality .systems tbody tr:not(.details)");
    assert.equal(await page.locator("#mapping-quality thead th").first().textContent(), "placement");
    assert.equal(await rows.count(), 5);
    await page.locator("#mapping-quality .systems thead button", { hasText: "hop-bytes" }).click();
    assert.match((await rows.first().textContent()) ?? "", /^this mapping/);
    assert.match((await page.locator("#mapping-quality tr.marked").textContent()) ?? "", /this mapping/);
  });

  test("a placement unfolds its bytes by layer", async () => {
    const { page } = await open(whole);
    await page.locator("#mapping-quality .systems tbody th button").first().click();
    const details = page.locator("#mapping-quality tr.details");
    assert.match((await details.textContent()) ?? "", /1 hop.*MiB/);
  });

  test("every rank has its place, and the one that ran elsewhere is named", async () => {
    const { page } = await open(whole, { visit: "shared" });
    const rows = page.locator("#mapping-ranks tbody tr");
    assert.equal(await rows.count(), 16);
    assert.match((await rows.first().textContent()) ?? "", /elsewhere/);
    assert.match((await rows.nth(1).textContent()) ?? "", /as planned/);
    await page.getByText("1 of 16 ranks ran elsewhere than planned.").waitFor();
  });

  test("the gain stands above, both times below with their commands", async () => {
    const { page } = await open(whole, { visit: "shared" });
    assert.match((await page.locator(".tiles").textContent()) ?? "", /Time by default \/ mapped[\s\S]*x/);
    assert.equal(await page.locator("#mapping-gain svg").count(), 1);
    assert.deepEqual(await rowsOf(page, "mapping-gain"), { total: 2, shown: 2 });
  });

  test("without a launch there is no gain and nothing ran elsewhere", async () => {
    const { page } = await open(planned);
    assert.equal(await page.locator("#mapping-gain").count(), 0);
    assert.equal(await page.getByText("elsewhere").count(), 0);
  });
});

function onlyPlanned(path: string): MappingRecord {
  const record = JSON.parse(readFileSync(path, "utf8")) as MappingRecord;
  record.facts.gain = null;
  record.facts.verification = null;
  return record;
}
