// The page of the HPC Challenge suite in a real browser.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { before } from "node:test";
import { emptyRecord, example, exampleRun, type MadePage, oldSummary, pageOf, recordFile } from "./pages";
import { assertSoundWithTables, describeInBrowser, rowsOf } from "./browser";

const MEGABYTE = 1e6;

/** What is read of a record of the suite. */
interface Run {
  facts: { tests: { figures: { labels: object }[]; checks: object[] }[] };
}

describeInBrowser("page of the suite", (open, test) => {
  let facts: Run["facts"];
  let small: MadePage;
  let large: MadePage;
  let compared: MadePage;
  let old: MadePage;

  before(async () => {
    const one = await exampleRun("run", "--curves");
    const other = exampleRun("other-run", "--ranks", "4", "--machines", "1", "--seed", "2");
    const imported = recordFile(
      "imported",
      emptyRecord({ kind: "hpcc", facts: { tests: [], success: true, summary: oldSummary() } }),
    );
    facts = (JSON.parse(readFileSync(one, "utf8")) as Run).facts;
    small = await pageOf("run", one);
    large = await pageOf(
      "large-run",
      exampleRun("large-run", "--ranks", "1000", "--machines", "16", "--curves"),
    );
    compared = await pageOf("runs", one, other, imported, example("survey-beside"));
    old = await pageOf("imported", imported);
  });

  test("pages of 8 and of 1,000 ranks stay under 1 MB", () => {
    for (const { path } of [small, large, compared]) assert.ok(statSync(path).size < MEGABYTE, path);
  });

  test("phone, desktop and paper, light and dark: all has its room, a name and a table with all rows; nothing is fetched", async () => {
    await assertSoundWithTables(open, [small, large, compared, old]);
  });

  test("verdict stands first, with a tile for each test", async () => {
    const { page } = await open(small, { visit: "shared" });
    assert.match((await page.locator("main .banner").textContent()) ?? "", /Validation passed: all 7 checks/);
    const titles = await page.locator(".tile h3").allTextContents();
    assert.deepEqual(titles.slice(0, 6), ["HPL", "DGEMM", "STREAM triad", "PTRANS", "RandomAccess", "FFT"]);
    assert.equal(titles.length, 10);
  });

  test("what follows a share without a blank stays on its line", async () => {
    const { page } = await open(small, { visit: "shared" });
    const shares = page.locator(".tile .interval .whole", { hasText: "%" });
    assert.match((await shares.allTextContents()).join(" "), /^(\d+(\.\d)?\s%, ?)+$/);
  });

  test("table of all figures has a row for each figure that is no point of a curve", async () => {
    const { page } = await open(small, { visit: "shared" });
    const figures = facts.tests.flatMap((one) => one.figures).filter(({ labels }) => !("purpose" in labels));
    assert.equal((await rowsOf(page, "hpcc-figures")).total, figures.length);
    const checks = facts.tests.flatMap((one) => one.checks);
    assert.equal((await rowsOf(page, "checks")).total, checks.length);
  });

  test("strips draw one dot for each repetition", async () => {
    const { page } = await open(small, { visit: "shared" });
    const lane = page.locator("#steadiness .lane").first();
    assert.equal(await lane.locator("circle").count(), 5);
  });

  test("strips that do not begin at zero say so, but for ratios", async () => {
    const { page } = await open(small, { visit: "shared" });
    const titleOf = (figure: string) =>
      page.locator(`figure[id^='${figure}'] .axis-title`).first().textContent();
    assert.equal(await titleOf("machines-"), "median of a rank, not from zero");
    assert.equal(await titleOf("steadiness"), "sample over median");
  });

  test("a thousand ranks have a row each, with host and processors", async () => {
    const { page } = await open(large);
    const figure = page.locator("figure[id^='ranks-']");
    const id = (await figure.getAttribute("id")) ?? "";
    assert.deepEqual(await rowsOf(page, id), { total: 1000, shown: 500 });
    assert.match((await figure.locator("figcaption").textContent()) ?? "", /Slowest: rank \d+ \(node\d\d\)/);
    assert.equal(await page.locator("#placement .package").count(), 8);
    assert.equal((await rowsOf(page, "placement")).total, 1000);
  });

  test("old output says of each of its values that it is one sample", async () => {
    const { page } = await open(old);
    const tiles = await page.locator(".tile .interval").allTextContents();
    assert.ok(tiles.length > 0 && tiles.every((text) => text === "one sample, no interval"));
    assert.equal(await page.getByText("not determined").count(), 0);
    const { total } = await rowsOf(page, "hpcc-summary");
    const shown = await page.locator("#hpcc-summary tbody tr", { hasText: ", one sample" }).count();
    assert.equal(shown, total);
  });

  test("runs are compared with each other, beside records of other kinds", async () => {
    const { page } = await open(compared);
    const names = page.locator("#hpcc-headlines tbody th");
    assert.deepEqual(await names.allTextContents(), ["run", "other-run", "imported"]);
    assert.equal(await page.locator("#headlines").count(), 0);
    await names.last().locator("button").click();
    const details = (await page.locator("#hpcc-headlines tr.details").textContent()) ?? "";
    assert.match(details, /open: one sample/);
    assert.equal(await page.locator("#hpcc-kiviat .outline").count(), 3);
    const survey = page.locator("main > div > section", { hasText: "Survey: survey-beside" }).first();
    assert.equal(await survey.locator("h3.part", { hasText: "The machine" }).count(), 1);
  });

  test("failed and interrupted run leads with what failed", async () => {
    const [first, second] = facts.tests;
    const failed = { name: "residual", value: 43, limit: 16, passed: false };
    const broken = emptyRecord({
      kind: "hpcc",
      facts: {
        tests: [
          { ...first, checks: [failed] },
          { ...second, done: false },
        ],
        success: false,
      },
    });
    const { page, errors } = await open(await pageOf("broken", recordFile("broken", broken)));
    const banner = (await page.locator("main .banner.bad").textContent()) ?? "";
    assert.match(banner, /Validation failed: 1 of 2 checks/);
    assert.match(banner, /residual is 43, at most 16/);
    assert.match(banner, /Cut short/);
    assert.deepEqual(errors, []);
  });
});
