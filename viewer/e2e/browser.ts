// A browser page that notes what must never happen in a report: requests, errors, refusals of the policy.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { availableParallelism } from "node:os";
import { setTimeout } from "node:timers/promises";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { findChromium, launchChromium } from "../scripts/chromium.mjs";
import { Browsers } from "./browsers";
import type { MadePage } from "./pages";
import { despiteStandstill } from "./standstill";

export interface OpenedPage {
  page: Page;
  /** Requests beside the page itself, error messages of the console, uncaught errors. */
  errors: string[];
}

export interface BrowserOptions {
  colorScheme?: "light" | "dark";
  permissions?: string[];
  reducedMotion?: "reduce" | "no-preference";
  /**
   * Loading a page takes longer than most tests. Those that share a visit follow each other, read the page and at most
   * open its data; the last of them may change it.
   */
  visit?: "own" | "shared" | "last";
}

export type Open = (made: MadePage, options?: BrowserOptions) => Promise<OpenedPage>;

/** A test of a suite. */
export type Test = (title: string, body: () => void | Promise<void>) => void;

/** Tests of pages wait for the browser and for Python about half of their time. */
const SUITES_AT_ONCE = 2 * availableParallelism();

const CHROMIUM = findChromium();
const launch = () => launchChromium(CHROMIUM ?? "");
const shared = new Browsers(launch);

const suites: (() => void)[] = [];

/** A suite with a tab of its own in the browser of all suites, or in one of its own if it may kill that. */
export function describeInBrowser(
  title: string,
  tests: (open: Open, test: Test) => void,
  { ownBrowser = false } = {},
): void {
  const browsers = ownBrowser ? new Browsers(launch) : shared;
  suites.push(() => {
    void describe(title, { concurrency: 1 }, () => {
      let tab: Tab | null = null;
      const opened = () => tab ?? assert.fail("no browser");
      before(async () => {
        tab = await tabOf(await browsers.current());
      });
      after(() => (ownBrowser ? browsers.close() : tab?.context.close()));
      const recover = async () => {
        const { browser, context } = opened();
        context.close().catch(() => undefined); // which may take long
        tab = await tabOf(await browsers.insteadOf(browser));
      };
      const inBrowser: Test = (name, body) => {
        void test(name, (context) =>
          despiteStandstill(async () => body(), {
            hopeless: () => standstill(opened()),
            frame: () => drawn(opened().page),
            recover: () => {
              context.diagnostic("the browser stands still: once more in a new one");
              return recover();
            },
          }),
        );
      };
      tests((made, options = {}) => openedIn(opened(), made, options), inBrowser);
    });
  });
}

/** Runs what was described. Skipped, with the reason, where there is no Chromium. */
export function runSuites(): void {
  const skip = CHROMIUM === null && "no Chromium: install it or name it in CHROMIUM";
  void describe("pages in a browser", { skip, concurrency: SUITES_AT_ONCE }, () => {
    after(() => shared.close());
    for (const suite of suites) suite();
  });
}

/** Milliseconds: many times what the longest test takes on a busy machine. */
const LIMIT = 120_000;
/** Milliseconds for one wait of a test: on a busy machine 30 seconds were not enough for a page to be drawn anew. */
const WAIT = LIMIT / 2;

function standstill({ lost }: Tab): Promise<void> {
  return Promise.race([lost, setTimeout(LIMIT, undefined, { ref: false })]);
}

/** The one page of a suite, opened anew by each test: a new one for each takes longer than most tests. */
interface Tab {
  browser: Browser;
  context: BrowserContext;
  page: Page;
  /** The only address that may be asked for, perhaps with the name of a part. */
  url: string;
  errors: string[];
  /** Whether the visit to this address is shared, in the usual display. */
  shared?: boolean;
  /** Settles if the browser, or the process that shows the page, dies. */
  lost: Promise<void>;
}

async function tabOf(browser: Browser): Promise<Tab> {
  const context = await browser.newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT);
  const lost = new Promise<void>((resolve) => {
    const settle = () => {
      resolve();
    };
    page.once("crash", settle);
    browser.once("disconnected", settle);
  });
  const tab: Tab = { browser, context, page, url: "", errors: [], lost };
  await page.route("**/*", (route) => {
    const url = route.request().url();
    if (url === tab.url.split("#")[0]) return route.continue();
    tab.errors.push(`request: ${url}`);
    return route.abort();
  });
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) tab.errors.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => tab.errors.push(`error: ${error.message}`));
  return tab;
}

const DESKTOP = { width: 1280, height: 900 };

async function openedIn(tab: Tab, made: MadePage, options: BrowserOptions): Promise<OpenedPage> {
  const { visit = "own", ...display } = options;
  const mayShare = visit !== "own" && Object.keys(display).length === 0;
  const isThere = mayShare && tab.shared === true && tab.url === made.url;
  tab.shared = false;
  if (!isThere) await visited(tab, made, display);
  tab.shared = mayShare && visit === "shared";
  return tab;
}

/** Nothing that an earlier test stored, chose, allowed or pointed at is left. */
async function visited(tab: Tab, { url }: MadePage, options: BrowserOptions): Promise<void> {
  const { context, page } = tab;
  // A page that is still scrolling moves away under a click.
  const { colorScheme = "light", permissions = [], reducedMotion = "reduce" } = options;
  if (tab.url)
    await page.evaluate(() => {
      localStorage.clear();
      document.body.replaceChildren(); // which would be drawn once more for the display of the next page
    });
  await context.clearPermissions();
  await context.grantPermissions(permissions);
  await page.emulateMedia({ colorScheme, media: null, reducedMotion, forcedColors: null });
  await page.setViewportSize(DESKTOP);
  await page.mouse.move(0, 0);
  Object.assign(tab, { url, errors: [] });
  await page.goto(url);
  await page.waitForSelector("main section");
  await drawn(page);
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

/** Each page is opened at the first of them. */
const WIDTHS = [DESKTOP.width, 768, 360];

/** Phone and desktop, light and dark: nothing is fetched, nothing fails, all has its room. */
export async function assertSound(open: Open, pages: MadePage[]): Promise<void> {
  for (const made of pages) {
    const { page, errors } = await open(made);
    await assertRoom(page, made.path);
    assert.deepEqual(errors, [], made.path);
  }
}

/** As `assertSound` and `assertTables`, in one visit: to load a page takes as long as to look at it. */
export async function assertSoundWithTables(open: Open, pages: MadePage[], part?: string): Promise<void> {
  for (const made of pages) {
    const { page, errors } = await open(made);
    await assertRoom(page, made.path);
    await redrawnAt(page, DESKTOP.width);
    await assertTables(page, made.path, part);
    assert.deepEqual(errors, [], made.path);
  }
}

async function assertRoom(page: Page, what: string): Promise<void> {
  for (const width of WIDTHS) {
    await redrawnAt(page, width);
    await assertFits(page, `${what} at ${width}`);
  }
  await redrawn(page, () => page.emulateMedia({ colorScheme: "dark" }));
}

/** Nothing reaches beyond the window, no text beyond its drawing. */
export async function assertFits(page: Page, what: string): Promise<void> {
  assert.ok((await overflow(page)) <= 0, what);
  assert.deepEqual(await cutTexts(page), [], what);
}

const PAPER = 1000;

/**
 * Whatever is chosen, every figure of a part of the page has a table with all of its rows, no table is cut in a window
 * of a laptop or on paper, and all has a name.
 */
export async function assertTables(page: Page, what: string, part = "main"): Promise<void> {
  await assertNamed(page);
  assert.deepEqual(await faultsOfTables(page, "all", part), [], what);
  await assertNamed(page);
  await assertShownTablesFit(page, what);
}

/** Every figure of a part of the page has a table with all of its rows, and no table of the page is cut. */
export async function assertTablesOf(page: Page, part: string): Promise<void> {
  assert.deepEqual(await faultsOfTables(page, "all", part), []);
}

/** No table is cut, opened or not, in a window of a laptop or on paper: those of what is chosen. */
export async function assertShownTablesFit(page: Page, what: string): Promise<void> {
  assert.deepEqual(await faultsOfTables(page, "shown"), [], what);
  await redrawn(page, async () => {
    // At the same time, so that a page whose tables are all open is laid out once.
    const paper = { width: PAPER, height: 844 };
    await Promise.all([page.emulateMedia({ media: "print" }), page.setViewportSize(paper)]);
  });
  assert.deepEqual(await faultsOfTables(page, "shown"), [], `${what} on paper`);
  assert.ok((await overflow(page)) <= 0, `${what} on paper`);
}

const ROWS_SHOWN = 500;

/**
 * Tables larger than their place, with the excess across and down in pixels; of the figures in `part`, also tables without all of their
 * rows. Data of figures are opened, and so are the details of the first system of each table that has some. With "all"
 * each option is chosen, those of different choices at the same time: the page is laid out once for them.
 */
function faultsOfTables(page: Page, options: "shown" | "all", part?: string): Promise<string[]> {
  const find = { options, part: part ?? null, most: ROWS_SHOWN };
  return page.evaluate(({ options, part, most }) => {
    const selects = [...document.querySelectorAll<HTMLSelectElement>(".choice select")];
    const last = options === "all" ? Math.max(0, ...selects.map(({ length }) => length - 1)) : 0;
    const faults = part === null ? [] : faultsOfChoices(part);
    for (let index = 0; index <= last; index += 1) {
      if (options === "all") choose(index);
      open();
      faults.push(
        ...[...cut(), ...(part === null ? [] : poor(part))].map((one) => `${one}, option ${index}`),
      );
    }
    return faults;

    function choose(index: number): void {
      for (const select of selects.filter(({ length }) => index < length)) {
        select.selectedIndex = index;
        select.dispatchEvent(new Event("change", { bubbles: true }));
      }
    }

    function open(): void {
      const closed = 'button[aria-controls][aria-expanded="false"]';
      for (const one of document.querySelectorAll<HTMLElement>(closed)) one.click();
      for (const one of document.querySelectorAll(".systems"))
        if (!one.querySelector("tr.details")) one.querySelector<HTMLElement>("tbody th button")?.click();
    }

    function cut(): string[] {
      return [...document.querySelectorAll(".scroll")].flatMap((frame) => {
        const across = frame.scrollWidth - frame.clientWidth;
        // Where it does not scroll, as on paper, what stands out of it covers what follows.
        const scrolls = getComputedStyle(frame).overflowY !== "visible";
        const below = scrolls ? 0 : frame.scrollHeight - frame.clientHeight;
        const { id } = frame.closest("figure") ?? frame;
        const name = id || String(frame.getAttribute("aria-label"));
        return across > 1 || below > 1 ? [`${name}: ${String(across)}, ${String(below)} px`] : [];
      });
    }

    function poor(part: string): string[] {
      const places = document.querySelectorAll(`${part}, ${part} .choice`);
      const empty = [...places].filter((place) => !place.querySelector("figure"));
      const figures = [...document.querySelectorAll(`${part} figure`)].flatMap((figure) => {
        const total = Number(figure.querySelector<HTMLElement>(".data table")?.dataset.rows ?? 0);
        const shown = figure.querySelectorAll(".data tbody tr").length;
        const isWhole = total > 0 && shown === Math.min(total, most);
        return isWhole ? [] : [`${figure.id}: ${shown} rows of ${total}`];
      });
      return [...empty.map(() => "no figure"), ...figures];
    }

    function faultsOfChoices(part: string): string[] {
      const choices = [...document.querySelectorAll(`${part} .choice`)];
      const all = document.querySelectorAll(`${part} select`).length;
      const vain = choices.filter((choice) => (choice.querySelector("select")?.length ?? 0) < 2);
      return [
        ...(document.querySelector(part) ? [] : [`no ${part}`]),
        ...(all === choices.length ? [] : ["a selection that is no choice"]),
        ...vain.map(() => "a choice of one"),
      ];
    }
  }, find);
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

/** What readers who do not see the page hear: a name for every drawing and control, no name twice. */
export async function assertNamed(page: Page): Promise<void> {
  const nameless = await page
    .locator("svg[role=img], button, select, input, [role=group], nav, section")
    .evaluateAll((all) =>
      all.flatMap((one) => {
        const name = one.getAttribute("aria-label") ?? (one.tagName === "BUTTON" ? one.textContent : "");
        const isLabelled = () => "labels" in one && Boolean((one.labels as NodeList | null)?.length);
        return name || isLabelled() ? [] : [one.outerHTML.slice(0, 120)];
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

/** Titles of ranges and marks of a drawing of curves that one of these runs through. */
export function coveredByTitles(page: Page, drawing: string): Promise<(string | null)[]> {
  return page.locator(drawing).evaluate((drawing) => {
    const corner = drawing.getBoundingClientRect();
    const points = [...drawing.querySelectorAll<SVGPathElement>(".curve")].flatMap((curve) => {
      const length = curve.getTotalLength();
      return Array.from({ length: Math.ceil(length) }, (_, at) => curve.getPointAtLength(at));
    });
    const titles = [...drawing.querySelectorAll(".range-title")];
    return titles
      .filter((title) => {
        const { left, right, top, bottom } = title.getBoundingClientRect();
        return points.some(({ x, y }) => {
          const [across, down] = [corner.left + x, corner.top + y];
          return across > left && across < right && down > top && down < bottom;
        });
      })
      .map((title) => title.textContent);
  });
}
