// Pages of odd values, of very many figures and for readers without a mouse, in a real browser.
import assert from "node:assert/strict";
import { before } from "node:test";
import {
  altered,
  emptyRecord,
  example,
  exampleAccess,
  exampleMapping,
  exampleRun,
  exampleTrace,
  type MadePage,
  pageOf,
  recordFile,
  pageOfEachKind,
  renamed,
  requantified,
} from "./pages";
import { assertFits, assertSound, describeInBrowser, drawn, redrawn, redrawnAt } from "./browser";

describeInBrowser("odd values, many figures, no mouse", (open, test) => {
  let joined: MadePage;

  before(async () => {
    joined = await pageOfEachKind();
  });

  test("values of zero and intervals from zero are drawn", async () => {
    const records = await Promise.all([
      exampleAccess("errors-of-zeros", "errors"),
      exampleAccess("owner-of-zeros", "owner"),
      exampleRun("run-of-zeros", "--curves"),
    ]);
    const zeros = records.map((one) => requantified(one, { value: 0, low: 0, high: 0 }));
    await assertSound(open, await Promise.all(zeros.map((one, i) => pageOf(`zeros-${i}`, one))));
    const fromZero = [await example("node-from-zero"), ...records].map((one) =>
      requantified(one, { low: 0 }),
    );
    await assertSound(open, await Promise.all(fromZero.map((one, i) => pageOf(`from-zero-${i}`, one))));
  });

  test("strips of which nothing is known keep their names apart", async () => {
    const unknown = requantified(await exampleRun("unknown-run"), { confidence: 0 });
    const { page } = await open(await pageOf("unknown-run", unknown));
    const tops = await page
      .locator("#hpcc-buffers .strips text.name")
      .evaluateAll((names) => names.map((one) => one.getBoundingClientRect().top));
    assert.ok(tops.length > 1);
    tops.slice(1).forEach((top, i) => {
      assert.ok(top - (tops[i] ?? 0) >= 15, String(tops));
    });
  });

  test("a drawing that fails says so and leaves the others alone", async () => {
    const made = altered(
      await pageOf("whole", exampleAccess("whole", "run")),
      /"kind":"strips","x":\{[^}]*\}/,
      '"kind":"strips","x":null',
    );
    const { page, errors } = await open(made);
    const failed = page.locator(".plot", { hasText: "This could not be drawn." });
    assert.equal(await failed.count(), 1);
    assert.ok((await page.locator(".plot svg").count()) > 3);
    assert.equal(errors.length, 1);
  });

  test("a page of many drawings is laid out no more often than one of few", async () => {
    const { page } = await open(joined);
    assert.ok((await page.locator(".plot").count()) > 40);
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable");
    await page.reload();
    await page.waitForSelector("main section");
    await drawn(page);
    const { metrics } = await session.send("Performance.getMetrics");
    await session.detach();
    const layouts = metrics.find(({ name }) => name === "LayoutCount")?.value ?? Infinity;
    assert.ok(layouts < 12, String(layouts));
  });

  test("the value under the pointer has the digits that its interval resolves", async () => {
    const close = { value: 52.14e9, low: 52.13e9, high: 52.15e9 };
    const { page } = await open(await pageOf("resolved", requantified(await example("resolved"), close)));
    await page.locator("#bandwidth .plot svg").hover();
    const text = await page.locator("#bandwidth .tooltip").textContent();
    assert.match(text ?? "", /52\.14\d* GB\/s \[52\.13\d*,\s52\.15\d*\]/);
  });

  test("single samples have their values on tiles, in tables and maps, and are called so", async () => {
    const samples = { n: 1, min: 2e-9, p5: 2e-9, p50: 2e-9, p95: 2e-9 };
    const single = { value: 2e-9, low: 2e-9, high: 2e-9, confidence: 0, samples };
    const { page } = await open(await pageOf("single", requantified(await example("single"), single)));
    const shown = page.locator("main");
    assert.ok(!(await shown.innerText()).includes("not determined"));
    assert.match(await page.locator("#tlb tbody").innerText(), /2 ns, one sample/);
    assert.match(await page.locator(".tile", { hasText: "Core to core" }).innerText(), /one sample/);
    assert.equal(await page.locator("#core-to-core .in-cell").first().textContent(), "2 ns");
    await page.locator("#core-to-core .plot").focus();
    await page.keyboard.press("ArrowRight");
    assert.match(await page.locator("#core-to-core .readout").innerText(), /: 2 ns, one sample$/);
  });

  test("text of double size fits the smallest phone, and no word of the header or a button is broken", async () => {
    const { page } = await open(await pageOf("large-text", exampleAccess("large-text", "run")));
    await page.setViewportSize({ width: 320, height: 844 });
    await redrawn(page, () =>
      page.evaluate(() => {
        document.documentElement.style.fontSize = "200%";
      }),
    );
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
    const broken = await page.locator(".brand .soft, .actions button").evaluateAll((all) =>
      all.filter((one) => {
        const words = one.textContent.trim().split(" ").length;
        const range = document.createRange();
        range.selectNodeContents(one);
        return new Set([...range.getClientRects()].map(({ top }) => top)).size > words;
      }),
    );
    assert.equal(broken.length, 0);
  });

  test("the largest count of a counter stands on one line", async () => {
    const path = ["main", "a solver of large systems"];
    const times = { thread: 0, calls: 1, inclusive: 1, exclusive: 1 };
    const facts = { regions: [{ ...times, path, counts: [2 ** 63] }], events: ["PAPI_TOT_INS"] };
    const record = recordFile("counted", emptyRecord({ kind: "regions", facts }));
    const { page } = await open(await pageOf("counted", record));
    const [, count] = await page.locator("#regions-counts tbody td").all();
    assert.match((await count?.textContent()) ?? "", /^9(,\d{3}){6}$/);
    await redrawnAt(page, 360);
    const lines = await count?.evaluate((cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return new Set([...range.getClientRects()].map(({ top }) => top)).size;
    });
    assert.equal(lines, 1);
  });

  test("a tap on a heat map tells the cell", async () => {
    const { page } = await open(await pageOf("tapped", example("tapped")));
    const cell = page.locator("#core-to-core .cell").first();
    const box = await cell.boundingBox();
    assert.ok(box);
    const place = { clientX: box.x + 5, clientY: box.y + 5 };
    await cell.dispatchEvent("pointerdown", { ...place, pointerType: "touch" });
    const text = await page.locator("#core-to-core .readout").textContent();
    assert.match(text ?? "", /from core 0, to core 1: [\d.]+ ns/);
  });

  test("what was not determined has no bar and stands last in either order", async () => {
    const seeds = ["1", "2", "3"].map((seed) => exampleRun(`known-${seed}`, "--seed", seed));
    const runs = await Promise.all(seeds);
    const unknown = requantified(await exampleRun("unknown"), { confidence: 0, samples: null });
    const { page } = await open(await pageOf("partly-unknown", unknown, ...runs));
    const systems = page.locator(".systems").first();
    const title = systems.locator("thead tr:last-child th").nth(1);
    assert.ok(!(await title.innerText()).includes("determined"));
    for (const order of ["descending", "ascending"]) {
      await title.locator("button").click();
      const cells = systems.locator("tbody tr > td:nth-child(2)");
      const texts = await cells.allTextContents();
      assert.equal(texts.indexOf("not determined"), runs.length, order);
      assert.equal(await cells.last().getAttribute("style"), null);
    }
  });

  test("who sorts and unfolds by keyboard keeps the place", async () => {
    const { page } = await open(await pageOf("sorted", exampleTrace("sorted")));
    const title = page.locator("#trace-calls thead button").nth(1);
    await title.focus();
    for (const order of ["descending", "ascending"]) {
      await page.keyboard.press("Enter");
      assert.equal(await page.locator("#trace-calls th[aria-sort]").getAttribute("aria-sort"), order);
      assert.equal(await title.evaluate((one) => one === document.activeElement), true);
    }
  });

  test("who unfolds details by keyboard keeps the place", async () => {
    const { page } = await open(await pageOf("unfolded", exampleMapping("unfolded")));
    const name = page.locator("#mapping-quality tbody th button").first();
    await name.focus();
    await page.keyboard.press("Enter");
    assert.equal(await name.getAttribute("aria-expanded"), "true");
    assert.equal(await name.evaluate((one) => one === document.activeElement), true);
  });

  test("an address with a section leads there, on plain pages and on compressed ones", async () => {
    const pages = await Promise.all([
      pageOf("short", example("short")),
      pageOf("packed", exampleRun("packed", "--ranks", "1000", "--curves")),
    ]);
    for (const { path, url } of pages) {
      const { page } = await open({ path, url: `${url}#section-method` });
      await drawn(page);
      const top = await page.locator("#section-method").evaluate((one) => one.getBoundingClientRect().top);
      assert.ok(Math.abs(top) < 40, `${path}: ${String(top)}`);
    }
  });

  test("contents that are longer than the window can all be reached", async () => {
    const { page } = await open(joined);
    await page.setViewportSize({ width: 1280, height: 300 });
    const last = page.locator(".side nav a").last();
    await last.click({ timeout: 5000 });
    assert.match(page.url(), /#section-/);
  });

  test("names from the right and marks that turn text do not turn what follows them", async () => {
    const name = "\u05e2\u05d1\u202e";
    const { page } = await open(await pageOf("from-right", renamed(await exampleTrace("from-right"), name)));
    const about = page.locator("header.page > p");
    assert.match((await about.textContent()) ?? "", /^\u05e2\u05d1\u200e\\u202e · 2025/);
  });

  test("a name of several words from the right is read as one, with nothing hidden within it", async () => {
    const [first, second] = ["\u05d0\u05d1\u05d2", "\u05d3\u05d4\u05d5"];
    const what = `host ${first} ${second} 12 ms \u200f34`;
    const warnings = [{ code: "a.b", what, next: "" }];
    const { page } = await open(
      await pageOf("two-words", recordFile("two-words", emptyRecord({ warnings }))),
    );
    const shown = page.locator(".callouts .what");
    assert.equal(await shown.textContent(), `host ${first} ${second}\u200e 12 ms \\u200f34`);
    const lefts = await shown.evaluate(
      (element, words) =>
        words.map((word) => {
          const node = [...element.childNodes].find(({ textContent }) => textContent?.includes(word));
          const range = document.createRange();
          if (node) range.selectNodeContents(node);
          return range.getBoundingClientRect().left;
        }),
      [second, first, "12"],
    );
    assert.deepEqual(
      [...lefts].sort((a, b) => a - b),
      lefts,
    );
  });

  test("name and button of the header are not broken on a phone", async () => {
    const { page } = await open(await pageOf("titled", exampleAccess("titled", "errors")));
    await redrawnAt(page, 360);
    for (const part of ["span:first-of-type", "button"]) {
      const box = await page.locator(`.brand > ${part}`).first().boundingBox();
      assert.ok(box && box.height < 40, part);
    }
    await assertFits(page, "header");
  });
});
