// Python with groma's dependencies: the one named by PYTHON, else the project's own environment.
import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const ROOT = resolve("..");
const LARGEST_RECORD = 256 * 2 ** 20;

function program() {
  const own = join(ROOT, ".venv/bin/python");
  return process.env.PYTHON ?? (existsSync(own) ? own : "python3");
}

function environment() {
  return { ...process.env, PYTHONPATH: join(ROOT, "src") };
}

/** What Python prints. npm starts everything here in viewer/. */
export function python(...args) {
  return execFileSync(program(), args, {
    env: environment(),
    maxBuffer: LARGEST_RECORD,
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** Processes that have groma imported, with the orders that each has to do: as many as there are cores. */
const forkers = [];

/**
 * What Python prints is in the file `output` then. Each call is a fork of a process that has groma imported; it sees
 * the environment of an early call.
 */
export async function printed(output, ...args) {
  const forker = idleForker();
  forker.orders += 1;
  const code = await forker.fork(args, output).finally(() => {
    forker.orders -= 1;
  });
  if (code !== 0) throw new Error(`python ${args.join(" ")}: exit code ${code}`);
}

/** The one with the fewest orders. */
function idleForker() {
  const [first] = [...forkers].sort((one, other) => one.orders - other.orders);
  if (first && (first.orders === 0 || forkers.length >= availableParallelism())) return first;
  const started = { fork: startForker(), orders: 0 };
  forkers.push(started);
  return started;
}

/** Starts one and returns what gives it an order. It ends with this process, which it does not keep running. */
function startForker() {
  const child = spawn(program(), ["scripts/forks.py"], {
    env: environment(),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const orders = [];
  let lost = null;
  const settle = (done) => {
    const order = orders.shift();
    if (order) done(order);
    if (orders.length === 0) child.stdout.unref();
  };
  const lose = (why) => {
    lost ??= new Error(`scripts/forks.py: ${why}`);
    while (orders.length > 0) settle(({ reject }) => reject(lost));
  };
  createInterface({ input: child.stdout })
    .on("line", (line) => settle(({ resolve }) => resolve(Number(line))))
    .on("close", () => lose("ended"));
  child.on("error", ({ message }) => lose(message));
  child.stdin.on("error", ({ message }) => lose(message));
  for (const one of [child, child.stdin, child.stdout]) one.unref();
  return (words, output) =>
    new Promise((resolve, reject) => {
      if (lost) return reject(lost);
      orders.push({ resolve, reject });
      child.stdout.ref();
      child.stdin.write(`${JSON.stringify({ words, output })}\n`);
    });
}
