// Colours of a heat map: a ramp of even lightness steps, safe for colour-blind readers.

export type Rgb = readonly [red: number, green: number, blue: number];

export interface ColourScale {
  low: number;
  high: number;
  logarithmic: boolean;
  /** Position of a value on the ramp, 0 to 1. */
  position: (value: number) => number;
}

const WIDE_RANGE = 8;
const NARROW_RANGE = 1.25;

/**
 * Logarithmic where the largest value is more than eight times the smallest. A range of less than a quarter
 * does not use the whole ramp, so that noise does not look like structure.
 */
export function scaleOver(values: number[]): ColourScale {
  const low = values.reduce((a, b) => Math.min(a, b), Infinity);
  const most = values.reduce((a, b) => Math.max(a, b), -Infinity);
  const high = low > 0 ? Math.max(most, low * NARROW_RANGE) : most;
  const logarithmic = low > 0 && high / low > WIDE_RANGE;
  const at = logarithmic ? Math.log : (value: number) => value;
  const width = at(high) - at(low);
  return { low, high, logarithmic, position: (value) => (width > 0 ? (at(value) - at(low)) / width : 0) };
}

export function parseHex(colour: string): Rgb {
  const number = parseInt(colour.slice(1), 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}

/** Linear between the colours of the ramp. */
export function mix(ramp: Rgb[], position: number): Rgb {
  const place = Math.min(1, Math.max(0, position)) * (ramp.length - 1);
  const below = Math.min(Math.floor(place), ramp.length - 2);
  const [from, to] = [ramp[below], ramp[below + 1]];
  if (!from || !to) return ramp[0] ?? [0, 0, 0];
  const share = place - below;
  const blend = (a: number, b: number) => Math.round(a + (b - a) * share);
  return [blend(from[0], to[0]), blend(from[1], to[1]), blend(from[2], to[2])];
}

export function css([red, green, blue]: Rgb): string {
  return `rgb(${red},${green},${blue})`;
}

/** Relative luminance after WCAG 2, 0 to 1. */
export function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast of two colours after WCAG 2, 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}
