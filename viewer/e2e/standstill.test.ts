import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { despiteStandstill } from "./standstill";

const forever = () => new Promise<void>(() => undefined);
const atOnce = () => Promise.resolve();

function uncalled(): never {
  throw new Error("called");
}

void describe("a body in a browser that may stand still", () => {
  test("is done once where it ends", async () => {
    const bodies = [atOnce];
    await despiteStandstill(() => bodies.shift()?.() ?? uncalled(), forever, uncalled);
    assert.deepEqual(bodies, []);
  });

  test("is done again after what it waits for was replaced", async () => {
    const done: string[] = [];
    const bodies = [forever, atOnce];
    const body = () => {
      done.push("body");
      return bodies.shift()?.() ?? uncalled();
    };
    await despiteStandstill(body, atOnce, () => {
      done.push("recover");
      return atOnce();
    });
    assert.deepEqual(done, ["body", "recover", "body"]);
  });

  test("fails where it stands still again", async () => {
    await assert.rejects(despiteStandstill(forever, atOnce, atOnce), /stood still, twice/);
  });

  test("is done again where it fails because the browser dies, and that is known later", async () => {
    const bodies = [() => Promise.reject(new Error("browser has been closed")), atOnce];
    const later = () => new Promise<void>((resolve) => setTimeout(resolve, 10));
    await despiteStandstill(() => bodies.shift()?.() ?? uncalled(), later, atOnce);
    assert.deepEqual(bodies, []);
  });

  test("is not done again where it fails", async () => {
    const bodies = [() => Promise.reject(new Error("wrong"))];
    const body = () => bodies.shift()?.() ?? uncalled();
    await assert.rejects(despiteStandstill(body, forever, uncalled), /wrong/);
  });

  test("that fails late, when it was replaced, disturbs nobody", async () => {
    const closing = new AbortController();
    const closed = new Promise<void>((_, reject) => {
      closing.signal.addEventListener("abort", reject);
    });
    const bodies = [() => closed, atOnce];
    await despiteStandstill(
      () => bodies.shift()?.() ?? uncalled(),
      atOnce,
      () => {
        closing.abort();
        return atOnce();
      },
    );
  });
});
