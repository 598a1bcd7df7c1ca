// The process that shows a page may be killed, where memory is short above all, and Chromium may stop making frames.
// Neither ends what Playwright waits for in the page.

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

function ends(work: Promise<void>, hopeless: Promise<void>): Promise<boolean> {
  return Promise.race([work.then(() => true), hopeless.then(() => false)]);
}
