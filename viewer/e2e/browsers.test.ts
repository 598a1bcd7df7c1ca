// How suites share browsers, without a browser.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Browser } from "playwright-core";
import { Browsers } from "./browsers";

/** Browsers that are told apart by their number, with how many were started and closed. */
function fakes() {
  const count = { started: 0, closed: 0 };
  const launch = () => {
    count.started += 1;
    const close = () => Promise.resolve((count.closed += 1));
    return Promise.resolve({ close } as unknown as Browser);
  };
  return { count, browsers: new Browsers(launch) };
}

void describe("browsers that suites share", () => {
  test("are one, started when it is first asked for", async () => {
    const { count, browsers } = fakes();
    assert.equal(count.started, 0);
    assert.equal(await browsers.current(), await browsers.current());
    assert.equal(count.started, 1);
  });

  test("are replaced once, whoever asks", async () => {
    const { count, browsers } = fakes();
    const old = await browsers.current();
    const [one, other] = await Promise.all([browsers.insteadOf(old), browsers.insteadOf(old)]);
    assert.notEqual(one, old);
    assert.equal(one, other);
    assert.equal(await browsers.insteadOf(old), one);
    assert.equal(await browsers.current(), one);
    assert.equal(count.started, 2);
  });

  test("are all closed in the end", async () => {
    const { count, browsers } = fakes();
    await browsers.insteadOf(await browsers.current());
    await browsers.close();
    assert.deepEqual(count, { started: 2, closed: 2 });
  });
});
