// The browser that suites share: to start one takes longer than most tests.
import type { Browser } from "playwright-core";

/** One browser after the other: each replaces one that stands still or is dead. */
export class Browsers {
  private readonly started: Promise<Browser>[] = [];

  constructor(private readonly launch: () => Promise<Browser>) {}

  /** The one in use, started when it is first asked for. */
  current(): Promise<Browser> {
    return this.started.at(-1) ?? this.next();
  }

  /** Another one than `old`; who asks second gets the same, and what else is done in `old` may go on. */
  async insteadOf(old: Browser): Promise<Browser> {
    const current = this.current();
    if ((await current) !== old) return current;
    return this.started.at(-1) === current ? this.next() : this.current();
  }

  async close(): Promise<void> {
    await Promise.all(this.started.map(async (one) => (await one).close()));
  }

  private next(): Promise<Browser> {
    const browser = this.launch();
    this.started.push(browser);
    return browser;
  }
}
