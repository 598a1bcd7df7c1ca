// The process that shows a page may be killed, or the browser, where memory is short above all, and Chromium may stop
// making frames. Only the death of the browser ends what Playwright waits for in the page.
import { setTimeout } from "node:timers/promises";

/** Milliseconds: what fails because the browser dies may fail before its death is known. */
const NEWS = 1000;

/** What a body is done in. */
export interface Surroundings {
  /** Settles when nothing that the body waits for can come any more. */
  hopeless: () => Promise<void>;
  /** Settles when the page has made a frame. */
  frame: () => Promise<void>;
  /** Has to end what the body waits for. */
  recover: () => Promise<void>;
}

/**
 * Has a body done, once more after `recover` if the surroundings are hopeless before it ends. What fails is not repeated,
 * except where the page makes no frame afterwards: what was awaited could not come.
 */
export async function despiteStandstill(
  body: () => Promise<void>,
  surroundings: Surroundings,
): Promise<void> {
  if (await ends(body(), surroundings)) return;
  await surroundings.recover();
  if (!(await ends(body(), surroundings))) throw new Error("the browser stood still, twice");
}

async function ends(work: Promise<void>, { hopeless, frame }: Surroundings): Promise<boolean> {
  const done = work.then(() => true);
  const lost = hopeless().then(() => false);
  try {
    return await Promise.race([done, lost]);
  } catch (error) {
    // Where a page is gone, so is what would tell of its frames.
    const framed = frame().catch(() => undefined);
    const lives = Promise.all([framed, setTimeout(NEWS)]).then(() => true);
    if (await Promise.race([lost, lives])) throw error;
    return false;
  }
}
