import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { despiteStandstill, type Surroundings } from "./standstill";

const forever = () => new Promise<void>(() => undefined);
const atOnce = () => Promise.resolve();

function uncalled(): never {
  throw new Error("called");
}

/** A page that makes frames and has nothing to recover from, except as stated. */
const surroundings = (but: Partial<Surroundings>): Surroundings => ({
  hopeless: forever,
  frame: atOnce,
  recover: uncalled,
  ...but,
});

const soon = () => new Promise<void>((resolve) => setTimeout(resolve, 10));

void describe("a body in a browser that may stand still", () => {
  test("is done once where it ends", async () => {
    const bodies = [atOnce];
    await despiteStandstill(() => bodies.shift()?.() ?? uncalled(), surroundings({}));
    assert.deepEqual(bodies, []);
  });

  test("is done again after what it waits for was replaced", async () => {
    const done: string[] = [];
    const bodies = [forever, atOnce];
    const body = () => {
      done.push("body");
      return bodies.shift()?.() ?? uncalled();
    };
    const recover = () => {
      done.push("recover");
      return atOnce();
    };
    await despiteStandstill(body, surroundings({ hopeless: atOnce, recover }));
    assert.deepEqual(done, ["body", "recover", "body"]);
  });

  test("fails where it stands still again", async () => {
    await assert.rejects(
      despiteStandstill(forever, surroundings({ hopeless: atOnce, recover: atOnce })),
      /stood still, twice/,
    );
  });

  test("is done again where it fails because the browser dies, and that is known later", async () => {
    const bodies = [() => Promise.reject(new Error("browser has been closed")), atOnce];
    const dying = surroundings({ hopeless: soon, recover: atOnce });
    await despiteStandstill(() => bodies.shift()?.() ?? uncalled(), dying);
    assert.deepEqual(bodies, []);
  });

  test("is done again where it fails in a page that makes no frame any more", async () => {
    const bodies = [() => Promise.reject(new Error("Timeout exceeded")), atOnce];
    const late = () => new Promise<void>((resolve) => setTimeout(resolve, 1500));
    const frozen = surroundings({ hopeless: late, frame: forever, recover: atOnce });
    await despiteStandstill(() => bodies.shift()?.() ?? uncalled(), frozen);
    assert.deepEqual(bodies, []);
  });

  test("is not done again where it fails", async () => {
    const bodies = [() => Promise.reject(new Error("wrong"))];
    const body = () => bodies.shift()?.() ?? uncalled();
    await assert.rejects(despiteStandstill(body, surroundings({})), /wrong/);
  });

  test("that fails late, when it was replaced, disturbs nobody", async () => {
    const closing = new AbortController();
    const closed = new Promise<void>((_, reject) => {
      closing.signal.addEventListener("abort", reject);
    });
    const bodies = [() => closed, atOnce];
    const recover = () => {
      closing.abort();
      return atOnce();
    };
    await despiteStandstill(
      () => bodies.shift()?.() ?? uncalled(),
      surroundings({ hopeless: atOnce, recover }),
    );
  });
});
