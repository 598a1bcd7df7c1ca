// Python with groma's dependencies: the one named by PYTHON, else the project's own environment.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = resolve("..");
const LARGEST_RECORD = 256 * 2 ** 20;

/** What Python prints. npm starts everything here in viewer/. */
export function python(...args) {
  const own = join(ROOT, ".venv/bin/python");
  const program = process.env.PYTHON ?? (existsSync(own) ? own : "python3");
  const env = { ...process.env, PYTHONPATH: join(ROOT, "src") };
  return execFileSync(program, args, {
    env,
    maxBuffer: LARGEST_RECORD,
    stdio: ["ignore", "pipe", "inherit"],
  });
}
