// A browser page that notes what must never happen in a report: requests, errors, refusals of the policy.
import assert from "node:assert/strict";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import type { MadePage } from "./pages";

export interface Watched {
  page: Page;
  /** Requests beside the page itself, error messages of the console, uncaught errors. */
  mishaps: string[];
}

export async function open(
  browser: Browser,
  { url }: MadePage,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const mishaps: string[] = [];
  await page.route("**/*", (route) => {
    const request = route.request();
    if (request.url() === url) return route.continue();
    mishaps.push(`request: ${request.url()}`);
    return route.abort();
  });
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) mishaps.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => mishaps.push(`error: ${error.message}`));
  await page.goto(url);
  await page.waitForSelector("main section");
  return { page, mishaps };
}

/** Rows of the data of a figure, opened if it is closed: as told, and as shown. */
export async function rowsOf(page: Page, figure: string): Promise<{ told: number; shown: number }> {
  const data = page.locator(`#${figure}-data`);
  if (await data.isHidden()) await page.locator(`#${figure} button[aria-controls]`).click();
  return {
    told: Number(await data.locator("table").getAttribute("data-rows")),
    shown: await data.locator("tbody tr").count(),
  };
}

/** Nothing is fetched and nothing fails, in either theme. */
export async function assertQuiet(browser: Browser, pages: MadePage[]): Promise<void> {
  for (const made of pages) {
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, mishaps } = await open(browser, made, { colorScheme });
      await page.waitForTimeout(100);
      assert.deepEqual(mishaps, [], made.path);
      await page.close();
    }
  }
}

const WIDTHS = [390, 768, 1280];
const REDRAWN_MS = 250;

/** Phone and desktop: nothing reaches beyond the window, no text beyond its drawing. */
export async function assertFits(browser: Browser, pages: MadePage[]): Promise<void> {
  for (const made of pages) {
    const { page } = await open(browser, made);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 844 });
      await page.waitForTimeout(REDRAWN_MS);
      assert.ok((await overflow(page)) <= 0, `${made.path} at ${width}`);
      assert.deepEqual(await cutTexts(page), [], `${made.path} at ${width}`);
    }
    await page.close();
  }
}

/** How far the content reaches beyond the window. */
function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}

function cutTexts(page: Page): Promise<(string | null)[]> {
  const drawn = page.locator(".strips text, .radar text, .scatter text, .lines text");
  return drawn.evaluateAll((texts) =>
    texts.flatMap((text) => {
      const drawing = text.closest("svg")?.getBoundingClientRect();
      const { left, right } = text.getBoundingClientRect();
      return drawing && left >= drawing.left - 1 && right <= drawing.right + 1 ? [] : [text.textContent];
    }),
  );
}

/** Every figure, whichever is chosen, has a table with all of its rows. */
export async function assertTables(page: Page): Promise<void> {
  const choices = page.locator("main select");
  const most = Math.max(1, await choices.count());
  for (let i = 0; i < most; i += 1) {
    const labels =
      (await choices.count()) > i ? await choices.nth(i).locator("option").allTextContents() : [""];
    for (const label of labels) {
      if (label) await choices.nth(i).selectOption({ label });
      const figures = await page.locator("figure").evaluateAll((all) => all.map((one) => one.id));
      for (const figure of figures) {
        const { told, shown } = await rowsOf(page, figure);
        assert.ok(told > 0 && shown === Math.min(told, ROWS_SHOWN), `${label}: ${figure}`);
      }
    }
  }
}

const ROWS_SHOWN = 500;

/** What readers who do not see the page are told: a name for every drawing and control, no name twice. */
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
