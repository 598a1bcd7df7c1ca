// A browser page that notes what must never happen in a report: requests, errors, refusals of the policy.
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

/** How far the content reaches beyond the window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}
