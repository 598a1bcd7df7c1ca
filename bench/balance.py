"""Time how long `groma balance` takes for outputs of hpcc, and how long Chromium takes to show its page.

.venv/bin/python bench/balance.py [FILES [SYSTEMS]]

FILES outputs (1,000) are read, and the page of SYSTEMS of them (100) is opened. Start of Python included; the
page is timed from the request to the second frame, of a browser that runs already.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]
ROUNDS = 5
PAGE_ROUNDS = """
import { findChromium, launchChromium } from "./scripts/chromium.mjs";
const browser = await launchChromium(findChromium());
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
await page.goto("about:blank");
for (let i = 0; i < 5; i += 1) {
  await page.goto(`file://${process.argv[1]}`);
  await page.waitForSelector("main section");
  await page.evaluate(() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r))));
  console.log(await page.evaluate(() => performance.now() / 1e3));
}
await browser.close();
"""


def seconds(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def reported(what: str, values: list[float]) -> None:
    print(f"{what:42} median {median(values):.2f} s, {min(values):.2f} to {max(values):.2f} s")


def main(files: int = 1000, systems: int = 100) -> None:
    groma = str(Path(sys.executable).parent / "groma")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        writer = ROOT / "tests" / "data" / "example_hpccoutf.py"
        subprocess.run([sys.executable, str(writer), name, str(files)], check=True)
        every = [str(file) for file in sorted(folder.iterdir())]
        reported(
            f"{files} outputs as JSON", [seconds([groma, "balance", *every, "--json"]) for _ in range(ROUNDS)]
        )
        page = str(folder / "page.html")
        writing = [groma, "balance", *every[:systems], "-o", page, "-q"]
        reported(f"page of {systems} systems, written", [seconds(writing) for _ in range(ROUNDS)])
        reported(f"page of {systems} systems, opened", opened(page))


def opened(page: str) -> list[float]:
    command = ["node", "--input-type=module", "-e", PAGE_ROUNDS, page]
    done = subprocess.run(command, cwd=ROOT / "viewer", check=True, capture_output=True, text=True)
    return [float(line) for line in done.stdout.split()]


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
