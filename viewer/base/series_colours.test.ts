// The colours of records for readers who do not see all of them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parseHex } from "./colour";

type Triple = readonly [number, number, number];

/** Linear RGB as readers without one kind of cones see it: Machado, Oliveira and Fernandes 2009, severity 1. */
const SEEN: Record<string, readonly [Triple, Triple, Triple]> = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  "no red": [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  "no green": [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  "no blue": [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** CIE 1976 difference that is seen at a glance, in small areas too. */
const APART = 15;

function product(matrix: readonly Triple[], [x, y, z]: Triple): Triple {
  return matrix.map(([a, b, c]) => a * x + b * y + c * z) as unknown as Triple;
}

function linear(hex: string): Triple {
  return parseHex(hex).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as unknown as Triple;
}

const TO_XYZ: Triple[] = [
  [0.4124, 0.3576, 0.1805],
  [0.2126, 0.7152, 0.0722],
  [0.0193, 0.1192, 0.9505],
];
const WHITE = [0.9505, 1, 1.089] as const;

/** CIE L*a*b* of linear RGB. */
function lab(colour: Triple): Triple {
  const [x, y, z] = product(TO_XYZ, colour).map((part, i) => {
    const share = Math.max(0, part) / (WHITE[i] ?? 1);
    return share > 0.008856 ? Math.cbrt(share) : 7.787 * share + 16 / 116;
  }) as unknown as Triple;
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function seriesColours(theme: string): string[] {
  return [...theme.matchAll(/--series-\d: (#[0-9a-f]{6});/g)].map(([, colour]) => colour ?? "");
}

test("colours of records stay apart for readers who do not see red, green or blue", () => {
  const themes = readFileSync("page/style.css", "utf8").split('[data-theme="dark"]').map(seriesColours);
  for (const colours of themes) {
    assert.equal(colours.length, 7);
    for (const [who, matrix] of Object.entries(SEEN)) {
      const seen = colours.map((colour) => lab(product(matrix, linear(colour))));
      seen.forEach((one, i) => {
        seen.slice(i + 1).forEach((other, j) => {
          const apart = Math.hypot(...one.map((part, k) => part - (other[k] ?? 0)));
          assert.ok(apart >= APART, `${who}: ${colours[i] ?? ""} and ${colours[i + 1 + j] ?? ""}, ${apart}`);
        });
      });
    }
  }
});
