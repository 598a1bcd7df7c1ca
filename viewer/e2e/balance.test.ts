// The page of the balance of systems in a real browser.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { before } from "node:test";
import type { Page } from "playwright-core";
import { balanceOf, copied, type MadePage, outputs, pageOf, realOutputs } from "./pages";
import { assertTables, assertSoundWithTables, describeInBrowser, drawn, rowsOf } from "./browser";

const MEGABYTE = 1e6;

/** The text of a column of a chart of systems, in the order shown; names are column 0. */
function column(page: Page, figure: string, place: number): Promise<string[]> {
  return page
    .locator(`#${figure} .systems tbody tr:not(.details) > :nth-child(${place + 1})`)
    .allTextContents();
}

async function numbers(page: Page, figure: string, place: number): Promise<number[]> {
  const cells = page.locator(`#${figure} .systems tbody td[data-value]:nth-child(${place + 1})`);
  return (await cells.evaluateAll((all) => all.map((one) => Number(one.getAttribute("data-value"))))).filter(
    Number.isFinite,
  );
}

function isFalling(values: number[]): boolean {
  return values.every((value, i) => i === 0 || value <= (values[i - 1] ?? Infinity));
}

describeInBrowser("page of a balance", (open, test) => {
  let one: MadePage;
  let many: MadePage;
  let runs: MadePage;
  let real: MadePage;

  before(async () => {
    const files = await outputs(100);
    one = await balanceOf("balance-of-one", ...files.slice(0, 1));
    many = await balanceOf("balance-of-100", ...files);
    runs = await pageOf("six-runs", ...files.slice(0, 6));
    const long = "an output of the second cluster with-a-name-that-has-no-blank_hpccoutf.txt";
    real = await balanceOf("balance-of-real-runs", ...realOutputs(), copied(files[0] ?? "", long));
  });

  test("pages of 1 and of 100 systems stay under 1 MB", () => {
    for (const { path } of [one, many, runs]) assert.ok(statSync(path).size < MEGABYTE, path);
  });

  test("phone, desktop and paper, light and dark: all has its room, a name and a table with all rows; nothing is fetched", async () => {
    await assertSoundWithTables(open, [one, many, runs]);
    await assertTables((await open(real)).page, real.path);
  });

  test("a unit that all values of a column have stands in its heading", async () => {
    const { page } = await open(one);
    const heading = page.locator("#balance-over-hpl thead th", { hasText: "STREAM triad" }).first();
    assert.equal(await heading.locator(".unit").textContent(), "B/kflop");
    const place = await heading.evaluate((cell) => [...(cell.parentElement?.children ?? [])].indexOf(cell));
    const cells = (await column(page, "balance-over-hpl", place)).filter((text) => text !== "–");
    assert.ok(cells.length > 0 && cells.every((text) => /^[\d.]+$/.test(text)), cells.join());
  });

  test("the user's system stands marked among those of the paper, best balance first", async () => {
    const { page } = await open(one);
    const marked = page.locator("#balance-table1 tr.marked");
    assert.equal(await marked.count(), 1);
    assert.match((await marked.textContent()) ?? "", /system0000/);
    const balances = await numbers(page, "balance-table1", 8);
    assert.equal(balances.length, 29);
    assert.ok(isFalling(balances));
  });

  test("any title sorts, and sorts the other way round when chosen again", async () => {
    const { page } = await open(many);
    const sort = page.locator("#balance-table1 thead button", { hasText: "HPL per process" });
    await sort.click();
    assert.ok(isFalling(await numbers(page, "balance-table1", 7)));
    await page.locator("#balance-table1 thead button", { hasText: "HPL per process" }).click();
    assert.ok(isFalling((await numbers(page, "balance-table1", 7)).reverse()));
    await page.locator("#balance-table1 thead button", { hasText: "ring latency" }).click();
    assert.ok(isFalling((await numbers(page, "balance-table1", 4)).reverse()), "least latency is best");
  });

  test("names are found, and unfold their details", async () => {
    const { page } = await open(many);
    await page.locator("#balance-table1 .filter input").fill("system0042");
    assert.deepEqual(await column(page, "balance-table1", 0), ["system0042"]);
    await page.locator("#balance-table1 tbody th button").click();
    const details = (await page.locator("#balance-table1 tr.details").textContent()) ?? "";
    assert.match(details, /source:.*system0042\.txt/);
    assert.match(details, /hpl mpi:[\d. ]+.flop\/s/);
  });

  test("bars and the data behind them are the same numbers", async () => {
    const { page } = await open(many);
    const shown = await numbers(page, "balance-relative", 3);
    assert.equal(Math.max(...shown), 1);
    const { total } = await rowsOf(page, "balance-relative");
    assert.equal(total, 100);
    const lengths = await page
      .locator("#balance-relative td.bar:nth-child(4)")
      .evaluateAll((all) =>
        all.map((cell) => Number((cell as HTMLElement).style.getPropertyValue("--share"))),
      );
    assert.equal(lengths.length, shown.length);
    lengths.forEach((length, i) => {
      assert.ok(Math.abs(length - (shown[i] ?? NaN)) < 1e-3);
    });
  });

  test("systems of the Kiviat diagram are chosen", async () => {
    const { page } = await open(many);
    const shapes = page.locator("#balance-kiviat .outline");
    assert.equal(await shapes.count(), 4);
    await page.locator("#balance-kiviat .legend button", { hasText: "system0099" }).click();
    assert.equal(await shapes.count(), 5);
    await page.locator("#balance-kiviat .legend button", { hasText: "system0000" }).click();
    assert.equal(await shapes.count(), 4);
  });

  test("figure 2 is drawn logarithmic and as a ratio, every system a mark", async () => {
    const { page } = await open(many);
    const choice = page.locator("#section-scaling .choice").first();
    assert.equal(await choice.locator(".symbol").count(), 128);
    await choice.locator("select").selectOption({ index: 1 });
    await drawn(page);
    assert.equal(await choice.locator(".symbol").count(), 128);
    assert.match((await choice.locator("h3").textContent()) ?? "", /ratio/);
  });

  test("several records of hpcc are rows with the first marked", async () => {
    const { page } = await open(runs);
    assert.equal((await column(page, "hpcc-headlines", 0)).length, 6);
    assert.match((await page.locator("#hpcc-headlines tr.marked").textContent()) ?? "", /system0000/);
    await page.locator("#hpcc-headlines thead button", { hasText: "HPL" }).click();
    assert.ok(isFalling(await numbers(page, "hpcc-headlines", 1)));
  });
});
