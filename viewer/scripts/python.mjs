// Python with groma's dependencies: the one named by PYTHON, else the project's own environment.
import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
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

let forks = null;

/**
 * What Python prints is in the file `output` then. Each call is a fork of one process that has groma imported, one
 * after the other; it sees the environment of the first call.
 */
export async function printed(output, ...args) {
  forks ??= startForks();
  const code = await forks(args, output);
  if (code !== 0) throw new Error(`python ${args.join(" ")}: exit code ${code}`);
}

/** Starts that process and returns what gives it an order. It ends with this one, which it does not keep running. */
function startForks() {
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
