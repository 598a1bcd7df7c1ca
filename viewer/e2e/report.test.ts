// The report page in a real browser.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { before } from "node:test";
import type { Page } from "playwright-core";
import { contrast, parseHex } from "../base/colour";
import {
  emptyRecord,
  example,
  exampleAccess,
  exampleNetwork,
  exampleTorus,
  exampleTrace,
  type MadePage,
  pageOf,
  recordFile,
  pageOfEachKind,
  renamed,
} from "./pages";
import {
  assertShownTablesFit,
  assertSound,
  assertTables,
  coveredByTitles,
  assertSoundWithTables,
  describeInBrowser,
  drawn,
  lookAt,
  redrawn,
  redrawnAt,
  rowsOf,
  tabStops,
} from "./browser";
import exampleRecord from "../../build/test-data/example-profile.json";

const MEGABYTE = 1e6;
const FACTS = exampleRecord.facts;

describeInBrowser("report page", (open, test) => {
  let small: MadePage;
  let large: MadePage;
  let compared: MadePage;
  let joined: MadePage;
  let several: MadePage;

  before(async () => {
    const [one, other] = await Promise.all([
      example("one"),
      example("other", "--packages", "1", "--cores", "6", "--threads", "2"),
    ]);
    small = await pageOf("small", one);
    compared = await pageOf("compared", one, other);
    joined = await pageOfEachKind();
    several = await pageOf("several", one, other, example("third", "--seed", "3"), exampleNetwork("beside"));
    large = await pageOf("large", example("large", "--packages", "24", "--cores", "8", "--threads", "2"));
  });

  test("page of a node and that of 384 hardware threads stay under 1 MB", () => {
    for (const { path } of [small, large]) assert.ok(statSync(path).size < MEGABYTE, path);
  });

  test("page of a record of each kind stays under half a MB", () => {
    assert.ok(statSync(joined.path).size < MEGABYTE / 2);
  });

  test("phone, desktop and paper, light and dark: all has its room, a name and a table with all rows; nothing is fetched", async () => {
    await assertSoundWithTables(open, [small, large, compared]);
    await assertTables((await open(several)).page, several.path);
  });

  test("names of any length keep to the page and to their drawings", async () => {
    const records = await Promise.all([
      example("survey"),
      exampleNetwork("network"),
      exampleAccess("errors", "errors"),
      exampleTorus("torus", "run"),
      exampleTorus("study", "study"),
      exampleTrace("trace"),
    ]);
    const name = "0123456789-".repeat(450);
    const pages = records.map((one, i) => pageOf(`renamed-${i}`, renamed(one, name)));
    await assertSound(open, await Promise.all(pages));
  });

  test("a survey that was cut short says so before anything else", async () => {
    const steps = ["clock", "load_latency"].map((probe) => ({
      probe,
      title: probe,
      parameters: {},
      budget: 1,
    }));
    const cut = recordFile("cut.partial", emptyRecord({ parameters: { depth: "quick", steps } }));
    const { page } = await open(await pageOf("cut", cut));
    const first = page.locator("main section > *").nth(1);
    assert.match((await first.textContent()) ?? "", /unfinished: 0 of 2 probes done.*not measured: clock/);
    assert.match((await first.textContent()) ?? "", /groma survey --resume --depth quick/);
    assert.equal(await first.getAttribute("role"), "alert");
  });

  test("a node has at least 12 figures", async () => {
    const { page } = await open(small, { visit: "shared" });
    assert.ok((await page.locator("figure").count()) >= 12);
  });

  test("tables have as many rows as the record has data", async () => {
    const { page } = await open(small, { visit: "shared" });
    const { memory, core_to_core, caches } = FACTS.node;
    const expected = {
      "load-latency": exampleRecord.samples.load_latency.cases.length,
      bandwidth: Object.values(memory.bandwidth).flat().length,
      "loaded-latency": memory.loaded_latency.length,
      contention: memory.contention_pairs.length,
      "core-to-core": core_to_core.latency.flat().filter((cell) => cell !== null).length,
      caches: caches.length,
      machine: FACTS.declared.cores.length,
    };
    for (const [figure, rows] of Object.entries(expected)) {
      assert.equal((await rowsOf(page, figure)).total, rows, figure);
    }
  });

  test("every drawing is there", async () => {
    const { page } = await open(small, { visit: "shared" });
    for (const figure of ["load-latency", "bandwidth", "loaded-latency"]) {
      const entries = await page.locator(`#${figure} .legend button`).count();
      assert.equal(await page.locator(`#${figure} .plot svg .curve`).count(), entries, figure);
    }
    assert.equal(await page.locator("#core-to-core .cell").count(), 56);
    assert.equal(await page.locator("#machine .package").count(), 2);
  });

  test("axis titles lie inside their drawings, beside small matrices too", async () => {
    const { page } = await open(small, { visit: "shared" });
    const cut = await page.locator(".axis-title").evaluateAll((titles) =>
      titles.flatMap((title) => {
        const drawing = title.closest("svg")?.getBoundingClientRect();
        const { left, right, top, bottom } = title.getBoundingClientRect();
        const inside =
          drawing !== undefined &&
          left >= drawing.left - 1 &&
          right <= drawing.right + 1 &&
          top >= drawing.top - 1 &&
          bottom <= drawing.bottom + 1;
        return inside ? [] : [title.textContent];
      }),
    );
    assert.deepEqual(cut, []);
  });

  test("titles along marked sizes cover no curve, on a phone either", async () => {
    const { page } = await open(small);
    for (const width of [1280, 390]) {
      await redrawnAt(page, width);
      assert.deepEqual(await coveredByTitles(page, "#load-latency svg"), [], `at ${width}`);
    }
    assert.ok((await page.locator("#load-latency .range-title[transform]").count()) > 0);
  });

  test("system preference decides the theme, the button overrules it and is remembered", async () => {
    const { page } = await open(small, { colorScheme: "dark" });
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    assert.equal(await theme(), "dark");
    await page.locator("button.theme").click();
    assert.equal(await theme(), "light");
    await page.reload();
    await page.waitForSelector("main section");
    assert.equal(await theme(), "light");
  });

  test("theme changes the colours of drawings", async () => {
    const { page } = await open(small);
    const fill = () => page.locator("#core-to-core .cell").first().getAttribute("fill");
    const light = await fill();
    await page.locator("button.theme").click();
    assert.notEqual(await fill(), light);
  });

  test("copy JSON puts the figure's data into the clipboard", async () => {
    const { page } = await open(small, { permissions: ["clipboard-read", "clipboard-write"] });
    await page.locator("#caches button.copy").click();
    await page.locator("#caches button.copy", { hasText: "Copied" }).waitFor();
    const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText())) as unknown;
    assert.deepEqual(copied, FACTS.node.caches);
  });

  test("JSON is shown for copying by hand where the browser refuses the clipboard", async () => {
    const { page } = await open(small);
    await page.evaluate(() => {
      Object.defineProperty(navigator, "clipboard", { value: undefined });
      Object.defineProperty(document, "execCommand", { value: () => false });
    });
    await page.locator("#tlb button.copy").click();
    const shown = JSON.parse(await page.locator("dialog textarea").inputValue()) as unknown;
    assert.deepEqual(shown, FACTS.node.tlb);
  });

  test("keyboard reaches contents, buttons, legend, heat map and selector in reading order", async () => {
    const { page } = await open(small);
    const reached = await tabStops(page, 80);
    const places = ["Dark", "Verdict", "Data of Load latency", "huge pages", "Heat map", "choose-numa"].map(
      (name) => reached.findIndex((stop) => stop.includes(name)),
    );
    assert.ok(
      places.every((place) => place >= 0),
      String(places),
    );
    assert.deepEqual(
      places,
      [...places].sort((a, b) => a - b),
    );
  });

  test("arrow keys tell the cells of a heat map with unit and interval", async () => {
    const { page } = await open(small);
    await page.locator("#core-to-core .heat").focus();
    await page.keyboard.press("ArrowRight");
    const text = await page.locator("#core-to-core .readout").textContent();
    assert.match(text ?? "", /from core 0, to core 1: [\d.]+ ns \[[\d.]+,\s[\d.]+\]/);
  });

  test("pointing at a curve tells its values with units", async () => {
    const { page } = await open(small);
    await page.locator("#load-latency .plot svg").hover();
    const text = await page.locator("#load-latency .tooltip").textContent();
    assert.match(text ?? "", /huge pages: [\d.]+ ns \(median [\d.]+ ns\).*small pages: [\d.]+ ns/);
  });

  test("legend hides and shows a series", async () => {
    const { page } = await open(small);
    const paths = () => page.locator("#load-latency .plot svg path").count();
    const all = await paths();
    const entry = page.locator("#load-latency .legend button").first();
    await entry.click();
    assert.equal(await entry.getAttribute("aria-pressed"), "false");
    assert.ok((await paths()) < all);
    await entry.click();
    assert.equal(await paths(), all);
  });

  test("labels of 24 places are whole, and their curves have all places", async () => {
    const { page } = await open(large);
    const map = page.locator("#numa-sequential-read-first-read");
    const labels = await map
      .locator("svg > text[text-anchor=end]:not([transform])")
      .evaluateAll((texts) => texts.map((text) => text.lastChild?.textContent));
    assert.deepEqual(
      labels,
      Array.from({ length: 24 }, (_, i) => String(i)),
    );
    assert.equal(await map.locator("svg .border").count(), 2 * 11);
    const curves = page.locator("#numa-curves-sequential-read-first-read");
    assert.equal(await curves.locator("svg .curve").count(), 4);
    assert.equal(await curves.locator("svg .symbol").count(), 4 * 24);
  });

  test("another NUMA experiment can be chosen", async () => {
    const { page } = await open(small);
    await page.locator("#choose-numa").selectOption({ label: "Random read" });
    assert.equal(await page.locator("#section-numa figure h3").first().textContent(), "Random read");
  });

  test("384 by 384 matrix is one image and its table is shown in pages", async () => {
    const { page } = await open(large);
    assert.equal(await page.locator("#core-to-core image").count(), 1);
    const { total, shown } = await rowsOf(page, "core-to-core");
    assert.equal(total, 384 * 383);
    assert.equal(shown, 500);
    await page.locator("#core-to-core .pager button", { hasText: "Next" }).click();
    assert.match((await page.locator("#core-to-core .pager span").textContent()) ?? "", /rows 501 to 1000/);
  });

  test("cells without a value are hatched, and the scale says what that means", async () => {
    for (const made of [small, large]) {
      const { page } = await open(made);
      const scale = page.locator("#core-to-core .colour-bar .hatched");
      assert.equal(await scale.textContent(), "not measured");
      const fill = await page.locator("#core-to-core .cells > .absent").getAttribute("fill");
      const pattern = /^url\((#.*)\)$/.exec(fill ?? "")?.[1] ?? "none";
      assert.equal(await page.locator(`#core-to-core pattern${pattern} .hatch`).count(), 1);
    }
    const { page } = await open(small);
    const full = page.locator("#section-numa figure:has(.cell)").first();
    assert.ok(await full.isVisible());
    assert.equal(await full.locator(".hatched").count(), 0);
  });

  test("several records are compared and each can be looked at", async () => {
    const { page } = await open(compared);
    assert.equal(await page.locator("#latency-comparison .legend button").count(), 4);
    const headers = await page.locator("#headlines th").allTextContents();
    assert.deepEqual(headers, ["quantity", "one", "other", "ratio", "verdict"]);
    await lookAt(page, "other");
    assert.match(
      (await page.locator("#section-verdict .lead").textContent()) ?? "",
      /6 cores, 12 hardware threads/,
    );
  });

  test("the contents mark the comparison while it is read, whichever record was chosen", async () => {
    const { page } = await open(compared);
    const marked = page.locator(".side a[aria-current]");
    const read = async (id: string) => {
      await page.evaluate((one) => {
        document.getElementById(one)?.scrollIntoView({ behavior: "instant" });
      }, id);
      await page.locator(`.side a[href="#${id}"][aria-current]`).waitFor({ timeout: 5000 });
    };
    const link = await page.locator(".side a").first().getAttribute("href");
    await read((link ?? "").slice(1));
    await read("section-verdict");
    await page.locator(".records label", { hasText: "other" }).click();
    await read((link ?? "").slice(1));
    assert.equal(await marked.first().getAttribute("href"), link);
  });

  test("survey without any measurement is shown as such", async () => {
    const { page, errors } = await open(await pageOf("partial", recordFile("partial", emptyRecord({}))));
    assert.match((await page.locator("main").textContent()) ?? "", /Memory bandwidth: not measured/);
    assert.deepEqual(errors, []);
  });

  test("warnings of one code share a callout, the third and later are folded", async () => {
    const warnings = [1, 2, 3, 4].map((i) => ({
      code: "load.process",
      what: `process ${i}`,
      next: "stop it",
    }));
    const { page } = await open(await pageOf("warned", recordFile("warned", emptyRecord({ warnings }))));
    assert.equal(await page.locator(".callouts > li").count(), 1);
    assert.equal(await page.locator(".advice").count(), 4);
    assert.equal(await page.getByText("process 2").isVisible(), true);
    assert.equal(await page.getByText("process 3").isVisible(), false);
    await page.locator(".callouts summary").click();
    assert.equal(await page.getByText("process 4").isVisible(), true);
  });

  test("of many warnings what to do unfolds, and paper has all of it", async () => {
    const warnings = [1, 2, 3, 4].map((i) => ({
      code: `load.${i}`,
      what: `process ${i}`,
      next: `stop ${i}`,
    }));
    const { page } = await open(await pageOf("doubtful", recordFile("doubtful", emptyRecord({ warnings }))));
    assert.equal(await page.locator(".callouts > li").count(), 4);
    const [what, next] = [page.getByText("process 4"), page.getByText("stop 4")];
    assert.equal(await what.isVisible(), true);
    assert.equal(await next.isVisible(), false);
    // The page has no plots that would be drawn anew.
    await page.emulateMedia({ media: "print" });
    await next.waitFor({ state: "visible" });
    await page.emulateMedia({ media: "screen" });
    await next.waitFor({ state: "hidden" });
    await what.click();
    await next.waitFor({ state: "visible" });
  });

  test("warnings stand above the figures that they may doubt", async () => {
    const { page } = await open(small);
    const order = await page
      .locator("#section-verdict > *")
      .evaluateAll((blocks) => blocks.map((block) => block.getAttribute("class")));
    assert.deepEqual(order.slice(1, 4), ["lead", "callouts", "tiles"]);
  });

  test("planes of a torus have the same colours for the same values", async () => {
    const { page } = await open(await pageOf("torus", exampleTorus("torus", "run")));
    const scale = page.locator("#section-network .choice").first().locator(".colour-bar");
    const first = await scale.textContent();
    await page.locator("#choose-torus-busy").selectOption({ index: 2 });
    assert.equal(await scale.textContent(), first);
  });

  test("record of an unknown kind is shown as a tree", async () => {
    const other = recordFile("kind", emptyRecord({ kind: "future", facts: { deep: [{ answer: 42 }] } }));
    const { page, errors } = await open(await pageOf("kind", other));
    assert.equal(await page.locator("#facts tbody tr").textContent(), "deep[0].answer42");
    assert.deepEqual(errors, []);
  });

  test("markup in a record is text", async () => {
    const host = "</script><img src=x onerror=alert(1)><!--<script>";
    const { page, errors } = await open(
      await pageOf("hostile", recordFile("hostile", emptyRecord({ environment: { host } }))),
    );
    assert.equal(await page.locator("h1").textContent(), host);
    assert.equal(await page.locator("img").count(), 0);
    assert.deepEqual(errors, []);
  });

  test("paper is light, without controls, with drawings that fit", async () => {
    const { page } = await open(small, { colorScheme: "dark" });
    await redrawn(page, () => page.emulateMedia({ media: "print" }));
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
    assert.equal(await page.locator("#load-latency .actions").isVisible(), false);
    const width = await page.locator("#load-latency .plot svg").getAttribute("width");
    assert.ok(Number(width) <= 700);
  });

  test("paper has all rows of a long table; of a longer one it says which, and the screen has its page again", async () => {
    for (const [count, shown, status] of [
      [1200, 1200, null],
      [5600, 5000, "rows 1 to 5000 of 5600"],
    ] as const) {
      const facts = Object.fromEntries(Array.from({ length: count }, (_, i) => [`entry${i}`, i]));
      const made = await pageOf(
        `long-${count}`,
        recordFile(`long-${count}`, emptyRecord({ kind: "future", facts })),
      );
      const { page } = await open(made);
      const rows = () => page.locator("#facts tbody tr").count();
      const pager = page.locator("#facts .pager span");
      await page.locator("#facts .pager button", { hasText: "Next" }).click();
      assert.equal(await rows(), 500);
      await page.emulateMedia({ media: "print" });
      await drawn(page);
      assert.equal(await rows(), shown);
      assert.equal(await pager.isVisible(), status !== null);
      if (status) assert.equal(await pager.textContent(), status);
      assert.equal(await page.locator("#facts .pager button").first().isVisible(), false);
      await page.emulateMedia({ media: null });
      await drawn(page);
      assert.equal(await rows(), 500);
      assert.match((await pager.textContent()) ?? "", /rows 501 to 1000/);
    }
  });

  test("paper says which option of a choice it shows", async () => {
    const { page } = await open(small);
    await page.locator("#choose-numa").selectOption({ label: "Random read" });
    const chooser = page.locator(".chooser:has(#choose-numa)");
    assert.equal(await chooser.locator(".chosen").isVisible(), false);
    await redrawn(page, () => page.emulateMedia({ media: "print" }));
    assert.equal(await page.locator("#choose-numa").isVisible(), false);
    assert.equal(await chooser.locator(".chosen").innerText(), "Random read");
  });

  test("the page scrolls at once for a reader who wants less motion", async () => {
    for (const [reducedMotion, behaviour] of [
      ["reduce", "auto"],
      ["no-preference", "smooth"],
    ] as const) {
      const { page } = await open(small, { reducedMotion });
      const found = await page.evaluate(() => getComputedStyle(document.documentElement).scrollBehavior);
      assert.equal(found, behaviour);
    }
  });

  test("paper has all records, the screen the chosen one", async () => {
    const { page, errors } = await open(compared);
    const figures = () => page.locator("figure[id=caches]").count();
    await lookAt(page, "other");
    assert.equal(await figures(), 1);
    await page.emulateMedia({ media: "print" });
    await drawn(page);
    assert.deepEqual(await page.locator("h2.of-record").allTextContents(), ["one", "other"]);
    assert.equal(await figures(), 2);
    assert.equal(await page.locator("figure[id=load-latency] .plot svg").count(), 2);
    assert.equal(await page.locator(".records").isVisible(), false);
    await page.emulateMedia({ media: null });
    await drawn(page);
    assert.equal(await figures(), 1);
    assert.equal(await page.locator(".records label:has(:checked)").textContent(), "other");
    assert.deepEqual(errors, []);
  });

  test("a page that joins records of every kind is printed whole, each figure with drawing or table", async () => {
    const { page, errors } = await open(joined);
    const printed = (await page.pdf({ format: "A4" })).toString("latin1");
    const pages = printed.match(/\/Type \/Page\b/g)?.length ?? 0;
    assert.ok(pages > 4, `${String(pages)} pages`);
    await assertShownTablesFit(page, joined.path);
    const empty = await page
      .locator("figure")
      .evaluateAll((figures) =>
        figures
          .filter((one) => one.querySelector(".plot svg, .plot canvas, .plot img, table") === null)
          .map((one) => one.id),
      );
    assert.deepEqual(empty, []);
    for (const id of ["1-caches", "2-network-layers", "3-hpcc-figures", "4-mapping-quality"])
      assert.equal(await page.locator(`figure#record-${id}`).count(), 1, id);
    for (const section of ["environment", "method", "samples"])
      assert.equal(await page.locator(`section#section-${section}`).count(), 1, section);
    assert.deepEqual(errors, []);
  });

  test("a reader who forces colours still sees which curve is which, and the ramp of a heat map", async () => {
    const { page } = await open(small);
    await page.emulateMedia({ forcedColors: "active" });
    const colours = (of: string, kind: "borderTopColor" | "stroke") =>
      page
        .locator(`#bandwidth ${of}`)
        .evaluateAll((all, kind) => [...new Set(all.map((one) => getComputedStyle(one)[kind]))].sort(), kind);
    const marks = await colours(".legend .mark", "borderTopColor");
    assert.ok(marks.length > 1, marks.join());
    assert.deepEqual(await colours(".plot .curve", "stroke"), marks);
    const ramp = page.locator("#core-to-core .colour-bar .bar");
    assert.match(await ramp.evaluate((bar) => getComputedStyle(bar).backgroundImage), /gradient/);
  });

  test("text, curves and heat maps keep their contrast in both themes", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const { page } = await open(small, { colorScheme });
      const colours = await coloursOf(page);
      const against = (name: string, ground: string) =>
        contrast(parseHex(colours[name] ?? ""), parseHex(colours[ground] ?? ""));
      for (const text of ["ink", "soft", "accent", "good", "warn"]) {
        for (const ground of ["paper", "card"])
          assert.ok(against(text, ground) >= 4.5, `${colorScheme} ${text}`);
      }
      for (let i = 0; i < 7; i += 1)
        assert.ok(against(`series-${i}`, "card") >= 3, `${colorScheme} series ${i}`);
      assert.ok(against("ramp-0", "ramp-4") >= 10, colorScheme);
    }
  });
});

function coloursOf(page: Page): Promise<Record<string, string>> {
  return page.evaluate(() => {
    const names = ["ink", "soft", "accent", "good", "warn", "paper", "card"];
    const several = [0, 1, 2, 3, 4, 5, 6].map((i) => `series-${i}`);
    const style = getComputedStyle(document.documentElement);
    return Object.fromEntries(
      [...names, ...several, "ramp-0", "ramp-4"].map((name) => [
        name,
        style.getPropertyValue(`--${name}`).trim(),
      ]),
    );
  });
}
