// The pages of comparisons, of the history, and of changes beside the values of a report in a real browser.
import assert from "node:assert/strict";
import { before } from "node:test";
import { copied, exampleRun, type MadePage, pageBy, recordFile } from "./pages";
import {
  assertFits,
  assertSoundWithTables,
  coveredByTitles,
  describeInBrowser,
  redrawnAt,
  rowsOf,
} from "./browser";
import { readFileSync } from "node:fs";

const FIRST_SLOW = 9;

/** The record of a night: the same run on another day, from one night on at nine tenths of its rates. */
function night(base: string, number: number): string {
  const record = JSON.parse(readFileSync(base, "utf8")) as Record<string, unknown>;
  record.created = new Date(Date.UTC(2026, 0, number, 2)).toISOString();
  if (number >= FIRST_SLOW) slow(record);
  return recordFile(`night-${String(number)}`, record);
}

/** All rates in facts and samples, whatever they are of. */
function slow(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  const fields = value as Record<string, unknown>;
  if (typeof fields.unit === "string" && fields.unit.endsWith("/s") && typeof fields.value === "number")
    for (const name of ["value", "low", "high"]) fields[name] = 0.9 * Number(fields[name]);
  Object.values(fields).forEach(slow);
}

describeInBrowser("pages of changes", (open, test) => {
  let compared: MadePage;
  let many: MadePage;
  let named: MadePage;
  let slower: MadePage;
  let history: MadePage;
  let against: MadePage;

  before(async () => {
    const runs = await Promise.all(
      Array.from({ length: 12 }, (_, seed) => exampleRun(`run-${String(seed)}`, "--seed", String(seed))),
    );
    const [first = "", second = ""] = runs;
    const other = await exampleRun("other", "--ranks", "4", "--machines", "1", "--seed", "9");
    compared = await pageBy("compared", "compare", first, other);
    many = await pageBy("many", "compare", ...runs);
    const long = copied(other, `a-night-of-${"the-machine-with-a-long-name-".repeat(4)}.json`);
    named = await pageBy("named", "compare", first, long, second);
    slower = await pageBy("slower", "compare", first, night(first, FIRST_SLOW));
    const nights = [...Array.from({ length: 14 }, (_, number) => number + 1), 60];
    history = await pageBy(
      "history",
      "history",
      ...nights.map((number) => night(first, number)),
      "--rebuild",
    );
    against = await pageBy("against", "report", second, "--against", first);
  });

  test("a change stands whole beside its bar, however long the names of the records", async () => {
    const { page } = await open(named);
    await assertFits(page, "long names");
    const words = await page
      .locator(".strips text.words")
      .evaluateAll((texts) => texts.map((text) => text.lastChild?.textContent ?? ""));
    assert.ok(words.length > 0);
    for (const one of words) assert.match(one, /^[+-][\d.]+ % \[.*\], (worse|better)/);
  });

  test("long names that differ near their end stand whole, in two lines", async () => {
    const { page } = await open(slower);
    const rows = page.locator("#comparison-changes .strips g:has(> text.name)");
    const names = await rows.evaluateAll((all) =>
      all.map((row) => {
        const lines = [...row.querySelectorAll("text.name")];
        return lines.map((line) => line.lastChild?.textContent ?? "").join("");
      }),
    );
    assert.ok(names.includes("effective_bandwidth.ping_pong_bandwidth_mean.mpi.buffers-reused_huge"));
    assert.equal(new Set(names).size, names.length, names.join());
    await assertFits(page, "names in two lines");
  });

  test("of many records each lane has a name, for colours repeat", async () => {
    const { page } = await open(many);
    assert.equal(await page.locator("#comparison-changes .legend").count(), 0);
  });

  test("phone, desktop and paper, light and dark: all has its room, a name and a table with all rows; nothing is fetched", async () => {
    await assertSoundWithTables(open, [compared, many, history, against]);
  });

  test("another number of ranks is stated before the verdict", async () => {
    const { page } = await open(compared);
    const text = await page.locator("main").innerText();
    assert.ok(text.includes("Not the same test"));
    assert.ok(text.indexOf("Not the same test") < text.indexOf("other against run-0"));
  });

  test("the day on which rates fell is named with the size of the fall", async () => {
    const { page } = await open(history);
    const { shown } = await rowsOf(page, "history-changes");
    assert.ok(shown > 0);
    const row = page.locator("#history-changes-data tbody tr", { hasText: "hpcc.stream.triad.star" });
    assert.match(await row.innerText(), /2026-01-09[\s\S]*worse[\s\S]*-10\.0/);
  });

  test("the title of a change is whole and covers no curve, also on a phone", async () => {
    const { page } = await open(history);
    for (const width of [1280, 360]) {
      await redrawnAt(page, width);
      const titles = await page.locator(".choice .range-title").allTextContents();
      assert.ok(titles.length > 0);
      for (const title of titles) assert.match(title, /^worse -10\.\d %, 2026-01-\d\d$/);
      assert.deepEqual(await coveredByTitles(page, ".choice .plot svg"), [], `at ${width}`);
    }
  });

  test("days of a table stand on one line, long names are broken after dots and underscores", async () => {
    const { page } = await open(history);
    const days = page.locator("#history-changes td:first-child");
    const lines = await days.evaluateAll((cells) =>
      cells.map((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return new Set([...range.getClientRects()].map(({ top }) => top)).size;
      }),
    );
    assert.ok(lines.length > 0 && lines.every((one) => one === 1), String(lines));
    const name = page.locator("#history-changes td.name", { hasText: "natural_ring_bandwidth" }).first();
    const parts = await name.evaluate((cell) => [...cell.childNodes].map((one) => one.textContent));
    assert.deepEqual(parts.slice(0, 5), ["hpcc.", "", "effective_", "", "bandwidth."]);
  });

  test("the verdict breaks long names where their parts end, and no date, share or interval", async () => {
    const { page } = await open(history);
    await redrawnAt(page, 360);
    const pieces = await page.locator(".banner li").evaluateAll((lines) =>
      lines.flatMap((line) =>
        [...line.childNodes].map((piece) => {
          const range = document.createRange();
          range.selectNodeContents(piece);
          const tops = [...range.getClientRects()].map(({ top }) => top);
          return { text: piece.textContent ?? "", lines: new Set(tops).size };
        }),
      ),
    );
    const mayBreak = /^\s|\s$|[a-z]-[a-z]/;
    const broken = pieces.filter(({ text, lines }) => lines > 1 && !mayBreak.test(text));
    assert.deepEqual(broken, []);
    const texts = pieces.map(({ text }) => text);
    for (const whole of ["bandwidth.", "2026-01-09", "-10.0 %"]) assert.ok(texts.includes(whole), whole);
    assert.ok(texts.some((text) => /^\[-[\d.]+, -[\d.]+\]$/.test(text)));
  });

  test("a trend is drawn on an axis that shows the fall, marked as one that is not from zero", async () => {
    const { page } = await open(history);
    const trend = page
      .locator("figure:visible, section:visible", { has: page.locator(".axis-break") })
      .last();
    const ticks = await trend.locator("svg .tick").allTextContents();
    assert.ok(!ticks.includes("0 GB/s"), ticks.join(", "));
    assert.match(await trend.innerText(), /does not begin at zero/);
    assert.match(
      (await trend.locator(".range-title").allTextContents()).join(),
      /worse -10\.0 %, 2026-01-09/,
    );
  });

  test("changes stand beside the values of a report", async () => {
    const { page } = await open(against);
    assert.ok((await page.locator("th", { hasText: "against run-0" }).count()) > 0);
  });
});
