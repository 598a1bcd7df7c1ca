// The process that shows a page may be killed, or the browser, where memory is short above all, and Chromium may stop
// making frames. Only the death of the browser ends what Playwright waits for in the page.
import { setTimeout } from "node:timers/promises";

/** Milliseconds: what fails because the browser dies may fail before its death is known. */
const NEWS = 1000;

/**
 * Has a body done. Where `hopeless` settles first, the body is done once more after `recover`, which has to end what the
 * first one waits for. What fails is not repeated.
 */
export async function despiteStandstill(
  body: () => Promise<void>,
  hopeless: () => Promise<void>,
  recover: () => Promise<void>,
): Promise<void> {
  if (await ends(body(), hopeless())) return;
  await recover();
  if (!(await ends(body(), hopeless()))) throw new Error("the browser stood still, twice");
}

async function ends(work: Promise<void>, hopeless: Promise<void>): Promise<boolean> {
  const done = work.then(() => true);
  const lost = hopeless.then(() => false);
  try {
    return await Promise.race([done, lost]);
  } catch (error) {
    if (await Promise.race([lost, setTimeout(NEWS, true)])) throw error;
    return false;
  }
}
