// What tests of pages stand on.
import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describeInBrowser } from "./browser";

const path = join(mkdtempSync(join(tmpdir(), "browser-")), "page.html");
writeFileSync(path, "<main><section>there</section></main>");
const made = { path, url: pathToFileURL(path).href };

/** How a browser comes to be lost. */
const DEATHS = { "the process of its page": "Page.crash", itself: "Browser.crash" } as const;

describeInBrowser(
  "browser of a suite",
  (open, test) => {
    for (const [what, command] of Object.entries(DEATHS)) {
      let tries = 0;

      test(`is replaced when ${what} dies, and the test done again`, async () => {
        tries += 1;
        const { page } = await open(made);
        if (tries > 1) return;
        const session = await page.context().newCDPSession(page);
        void session.send(command).catch(() => undefined);
        await page.evaluate(() => new Promise(() => undefined));
      });

      test(`shows pages after ${what} died`, async () => {
        assert.equal(tries, 2);
        assert.equal(await (await open(made)).page.locator("main section").count(), 1);
      });
    }
  },
  { ownBrowser: true },
);
