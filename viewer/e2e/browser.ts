// A browser page that notes what must never happen in a report: requests, errors, refusals of the policy.
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { findChromium, launchChromium } from "../scripts/chromium.mjs";
import type { MadePage } from "./pages";

export interface OpenedPage {
  page: Page;
  /** Requests beside the page itself, error messages of the console, uncaught errors. */
  errors: string[];
}

export interface BrowserOptions {
  colorScheme?: "light" | "dark";
  permissions?: string[];
  reducedMotion?: "reduce" | "no-preference";
}

export type Open = (made: MadePage, options?: BrowserOptions) => Promise<OpenedPage>;

/** A suite with a browser of its own. Skipped, with the reason, where there is no Chromium. */
export function describeInBrowser(title: string, tests: (open: Open) => void): void {
  const chromium = findChromium();
  const skip = chromium === null && "no Chromium: install it or name it in CHROMIUM";
  void describe(title, { skip }, () => {
    let tab: Tab | null = null;
    before(async () => {
      const browser = await launchChromium(chromium ?? "");
      tab = await tabOf(await browser.newContext());
    });
    after(() => tab?.context.browser()?.close());
    tests((made, options = {}) => {
      assert.ok(tab);
      return opened(tab, made, options);
    });
  });
}

/** The one page of a suite, opened anew by each test: a new one for each takes longer than most tests. */
interface Tab {
  context: BrowserContext;
  page: Page;
  /** The only address that may be asked for, perhaps with the name of a part. */
  url: string;
  errors: string[];
}

async function tabOf(context: BrowserContext): Promise<Tab> {
  const tab: Tab = { context, page: await context.newPage(), url: "", errors: [] };
  await tab.page.route("**/*", (route) => {
    const url = route.request().url();
    if (url === tab.url.split("#")[0]) return route.continue();
    tab.errors.push(`request: ${url}`);
    return route.abort();
  });
  tab.page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) tab.errors.push(`console: ${message.text()}`);
  });
  tab.page.on("pageerror", (error) => tab.errors.push(`error: ${error.message}`));
  return tab;
}

const DESKTOP = { width: 1280, height: 900 };

/** Nothing that an earlier test stored, chose, allowed or pointed at is left. */
async function opened(tab: Tab, { url }: MadePage, options: BrowserOptions): Promise<OpenedPage> {
  const { context, page } = tab;
  // A page that is still scrolling moves away under a click.
  const { colorScheme = "light", permissions = [], reducedMotion = "reduce" } = options;
  if (tab.url)
    await page.evaluate(() => {
      localStorage.clear();
    });
  await context.clearPermissions();
  await context.grantPermissions(permissions);
  await page.emulateMedia({ colorScheme, media: null, reducedMotion });
  await page.setViewportSize(DESKTOP);
  await page.mouse.move(0, 0);
  Object.assign(tab, { url, errors: [] });
  await page.goto(url);
  await page.waitForSelector("main section");
  await drawn(page);
  return tab;
}

/** Drawings are made in the frame after the page is there. */
export function drawn(page: Page): Promise<void> {
  return page.evaluate(
    () =>
      new Promise((done) => {
        requestAnimationFrame(() => {
          requestAnimationFrame(() => {
            done();
          });
        });
      }),
  );
}

/** Shows the details of a record of several. */
export async function lookAt(page: Page, record: string): Promise<void> {
  await page.locator("label", { hasText: record }).click();
  await drawn(page);
}

/** Rows of the data of a figure, opened if it is closed: in total, and as shown. */
export async function rowsOf(page: Page, figure: string): Promise<{ total: number; shown: number }> {
  const data = page.locator(`#${figure}-data`);
  if (await data.isHidden()) await page.locator(`#${figure} button[aria-controls]`).click();
  return {
    total: Number(await data.locator("table").getAttribute("data-rows")),
    shown: await data.locator("tbody tr").count(),
  };
}

const WIDTHS = [360, 768, 1280];

/** Phone and desktop, light and dark: nothing is fetched, nothing fails, all has its room. */
export async function assertSound(open: Open, pages: MadePage[]): Promise<void> {
  for (const made of pages) {
    const { page, errors } = await open(made);
    for (const width of WIDTHS) {
      await redrawnAt(page, width);
      await assertFits(page, `${made.path} at ${width}`);
    }
    await redrawn(page, () => page.emulateMedia({ colorScheme: "dark" }));
    assert.deepEqual(errors, [], made.path);
  }
}

/** Nothing reaches beyond the window, no text beyond its drawing. */
export async function assertFits(page: Page, what: string): Promise<void> {
  assert.ok((await overflow(page)) <= 0, what);
  assert.deepEqual(await cutTexts(page), [], what);
}

const PAPER = 1000;

/** No table is cut, opened or not, whatever is chosen: in a window of a laptop, and on paper. */
export async function assertTablesFit(page: Page, what: string): Promise<void> {
  assert.deepEqual(await cutTables(page.locator("body")), [], what);
  for (const choice of await page.locator(".choice").all()) {
    const options = await choice.locator("option").count();
    for (let index = 1; index < options; index += 1) {
      await choice.locator("select").selectOption({ index });
      assert.deepEqual(await cutTables(choice), [], `${what}, ${String(index)} chosen`);
    }
  }
  await assertShownTablesFit(page, what);
}

/** The same of what is chosen. */
export async function assertShownTablesFit(page: Page, what: string): Promise<void> {
  const all = page.locator("body");
  assert.deepEqual(await cutTables(all), [], what);
  await redrawn(page, async () => {
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: PAPER, height: 844 });
  });
  assert.deepEqual(await cutTables(all), [], `${what} on paper`);
  assert.ok((await overflow(page)) <= 0, `${what} on paper`);
}

/** Tables wider than their place, with the excess in pixels: data of figures is opened, and so are the details
 * of the first system of each table that has some. */
function cutTables(part: Locator): Promise<string[]> {
  return part.evaluate((within) => {
    for (const one of within.querySelectorAll<HTMLElement>('button[aria-controls][aria-expanded="false"]'))
      one.click();
    for (const one of within.querySelectorAll(".systems"))
      if (!one.querySelector("tr.details")) one.querySelector<HTMLElement>("tbody th button")?.click();
    return [...within.querySelectorAll(".scroll")].flatMap((frame) => {
      const excess = frame.scrollWidth - frame.clientWidth;
      const { id } = frame.closest("figure") ?? frame;
      return excess > 1 ? [`${id || String(frame.getAttribute("aria-label"))}: ${String(excess)} px`] : [];
    });
  });
}

/** The window so wide, and every drawing made for it. */
export async function redrawnAt(page: Page, width: number): Promise<void> {
  if (page.viewportSize()?.width === width) return;
  await redrawn(page, () => page.setViewportSize({ width, height: 844 }));
}

/** A change of the options, after which every drawing was made anew. */
export async function redrawn(page: Page, change: () => Promise<void>): Promise<void> {
  await page.evaluate(() => {
    for (const drawing of document.querySelectorAll(".plot > *")) drawing.classList.add("stale");
  });
  await change();
  await page.waitForFunction(() => !document.querySelector(".plot > .stale"));
}

/** How far the content reaches beyond the window. */
function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}

function cutTexts(page: Page): Promise<(string | null)[]> {
  const drawn = page.locator(
    ".strips text, .radar text, .scatter text, .lines text, .heat text, .package text",
  );
  return drawn.evaluateAll((texts) =>
    texts.flatMap((text) => {
      const drawing = text.closest("svg")?.getBoundingClientRect();
      const { left, right } = text.getBoundingClientRect();
      return drawing && left >= drawing.left - 1 && right <= drawing.right + 1 ? [] : [text.textContent];
    }),
  );
}

/** Every figure of a part of the page, whichever is chosen, has a table with all of its rows. */
export async function assertTables(page: Page, part = "main"): Promise<void> {
  assert.deepEqual(await poorTables(page.locator(part)), []);
  const choices = await page.locator(`${part} .choice`).all();
  assert.equal(choices.length, await page.locator(`${part} select`).count());
  for (const choice of choices) {
    const options = await choice.locator("option").count();
    assert.ok(options > 1);
    for (let index = 0; index < options; index += 1) {
      await choice.locator("select").selectOption({ index });
      assert.deepEqual(await poorTables(choice), []);
    }
  }
}

const ROWS_SHOWN = 500;

/** Figures whose table, opened if it is closed, does not show the rows that it has. */
function poorTables(part: Locator): Promise<string[]> {
  return part.evaluate((within, most) => {
    const figures = [...within.querySelectorAll("figure")];
    if (figures.length === 0) return ["no figure"];
    return figures.flatMap((figure) => {
      if (figure.querySelector<HTMLElement>(".data")?.hidden)
        figure.querySelector<HTMLElement>("button[aria-controls]")?.click();
      const total = Number(figure.querySelector<HTMLElement>(".data table")?.dataset.rows ?? 0);
      const shown = figure.querySelectorAll(".data tbody tr").length;
      return total > 0 && shown === Math.min(total, most) ? [] : [`${figure.id}: ${shown} rows of ${total}`];
    });
  }, ROWS_SHOWN);
}

/** What readers who do not see the page hear: a name for every drawing and control, no name twice. */
export async function assertNamed(page: Page): Promise<void> {
  const nameless = await page
    .locator("svg[role=img], button, select, input, [role=group], nav, section")
    .evaluateAll((all) =>
      all.flatMap((one) => {
        const labelled = "labels" in one ? (one.labels as NodeList | null)?.length : 0;
        const name = one.getAttribute("aria-label") ?? (one.tagName === "BUTTON" ? one.textContent : "");
        return labelled || name ? [] : [one.outerHTML.slice(0, 120)];
      }),
    );
  assert.deepEqual(nameless, []);
  const ids = await page.locator("[id]").evaluateAll((all) => all.map((one) => one.id));
  assert.equal(new Set(ids).size, ids.length);
}

/** What gets the focus by the keyboard, stop by stop. */
export async function tabStops(page: Page, most: number): Promise<string[]> {
  await page.evaluate(() => {
    const stops: string[] = [];
    addEventListener("focusin", ({ target }) => {
      const { id, ariaLabel, textContent } = target as Element;
      stops.push([id, ariaLabel, textContent.slice(0, 80)].join(" "));
    });
    Object.assign(globalThis, { stops });
  });
  for (let i = 0; i < most; i += 1) await page.keyboard.press("Tab");
  return page.evaluate(() => (globalThis as unknown as { stops: string[] }).stops);
}
