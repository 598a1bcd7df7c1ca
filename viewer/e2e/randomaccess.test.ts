// The pages of RandomAccess in a real browser.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { before } from "node:test";
import { exampleAccess, type MadePage, pageOf } from "./pages";
import { assertSoundWithTables, describeInBrowser, redrawnAt, rowsOf } from "./browser";

const MEGABYTE = 1e6;

describeInBrowser("page of RandomAccess", (open, test) => {
  let large: MadePage;
  let study: MadePage;
  let compared: MadePage;

  before(async () => {
    const study_ = await exampleAccess("errors", "errors");
    const owner = exampleAccess("owner", "owner");
    const runs = ["route", "direct", "specialise"].map((algorithm) =>
      exampleAccess(algorithm, "run", "--algorithm", algorithm),
    );
    const shape = ["--ranks", "1000", "--machines", "16", "--algorithm", "specialise"];
    large = await pageOf("large-access", exampleAccess("large-access", "run", ...shape));
    study = await pageOf("study", study_);
    const studies = [2, 3].map((seed) =>
      exampleAccess(`errors-${String(seed)}`, "errors", "--seed", String(seed)),
    );
    compared = await pageOf("accesses", ...runs, study_, ...studies, owner);
  });

  test("page of 1,000 ranks stays under half a MB", () => {
    assert.ok(statSync(large.path).size < MEGABYTE / 2);
  });

  test("phone, desktop and paper, light and dark: all has its room, a name and a table with all rows; nothing is fetched", async () => {
    await assertSoundWithTables(open, [large, study, compared]);
  });

  test("verdict of a study stands first, its trade-off names every strategy", async () => {
    const { page } = await open(study, { visit: "shared" });
    assert.match((await page.locator("main .banner").textContent()) ?? "", /passed: exact in all of 25 runs/);
    const names = await page.locator("#randomaccess-trade-off text.name").allTextContents();
    assert.deepEqual(names, ["serial", "unsynchronised", "atomic", "locks:1", "locks:32", "owner"]);
  });

  test("names in the trade-off cover neither each other nor a point", async () => {
    const { page } = await open(study);
    for (const width of [390, 1280]) {
      await redrawnAt(page, width);
      const covered = await page.locator("#randomaccess-trade-off svg").evaluate((drawing) => {
        const boxes = [...drawing.querySelectorAll("text.name, circle")].map((one) => ({
          name: one.textContent,
          box: one.getBoundingClientRect(),
        }));
        return boxes.flatMap(({ name, box }, i) =>
          boxes
            .slice(i + 1)
            .filter((other) => name !== "" || other.name !== "")
            .filter(
              ({ box: other }) =>
                box.left < other.right - 1 &&
                other.left < box.right - 1 &&
                box.top < other.bottom - 1 &&
                other.top < box.bottom - 1,
            )
            .map((other) => [name, other.name]),
        );
      });
      assert.deepEqual(covered, [], `at ${width}`);
    }
  });

  test("a dot is drawn for every run of every strategy", async () => {
    const { page } = await open(study, { visit: "shared" });
    assert.equal(await page.locator("#randomaccess-error-rates .lane circle").count(), 6 * 5);
  });

  test("a thousand ranks have a row each, role by role on one drawing", async () => {
    const { page } = await open(large);
    assert.deepEqual(await rowsOf(page, "ranks-time-worked"), { total: 1000, shown: 500 });
    assert.deepEqual(await page.locator("#ranks-time-worked .legend button").allTextContents(), [
      "generate",
      "update",
    ]);
    assert.equal((await rowsOf(page, "placement")).total, 1000);
  });

  test("runs are compared beside records of other kinds, each of which can be looked at", async () => {
    const { page } = await open(compared);
    assert.equal(await page.locator("#randomaccess-runs .lane").count(), 3);
    assert.match(
      (await page.locator("#randomaccess-differences-data").textContent()) ?? "",
      /route on a grid/,
    );
    assert.equal(await page.locator("[id$=-randomaccess-lookups] .curve").count(), 3);
  });

  test("pointing at a curve of lookups tells the times with their intervals", async () => {
    const { page } = await open(compared);
    await page.locator("[id$=-randomaccess-lookups] .plot svg").hover({ position: { x: 120, y: 60 } });
    const text = await page.locator("[id$=-randomaccess-lookups] .tooltip").textContent();
    assert.match(text ?? "", /parts of the table.*division: 1\.\d+ ns \[/);
  });
});
