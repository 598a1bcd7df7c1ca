// Finding and relating quantities.
import type { CellValue } from "./figure";
import type { Quantity } from "./record";
import { formatValue } from "./units";

const FIELDS = ["value", "unit", "low", "high", "confidence", "method"];

export function isQuantity(value: unknown): value is Quantity {
  return typeof value === "object" && value !== null && FIELDS.every((field) => field in value);
}

export interface Found {
  path: string;
  quantity: Quantity;
}

/** All quantities in a JSON value with the path to each, e.g. `node.caches[0].size`. */
export function quantitiesIn(value: unknown, path = ""): Found[] {
  if (isQuantity(value)) return [{ path, quantity: value }];
  if (Array.isArray(value)) return value.flatMap((item, i) => quantitiesIn(item, `${path}[${i}]`));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => quantitiesIn(item, path ? `${path}.${key}` : key));
}

/** Whether one sample is all there is: it has a value, but no interval. */
export function isOneSample({ samples, confidence }: Quantity): boolean {
  return samples?.n === 1 && confidence <= 0;
}

/** A quantity for a table; of a single sample its value and that it is one. */
export function shown(quantity: Quantity | null): CellValue {
  if (!quantity || !isOneSample(quantity)) return quantity;
  return `${formatValue(quantity.value, quantity.unit)} (one sample)`;
}

/** A quantity of a single sample, as old outputs have them. */
export function oneSample(value: number, unit: string, method: string): Quantity {
  const samples = { n: 1, min: value, p5: value, p50: value, p95: value };
  return {
    value,
    unit,
    low: value,
    high: value,
    confidence: 0,
    method,
    samples,
    os_value: null,
    agrees: null,
  };
}

/** The quantity with another unit, `factor` times as large. */
export function scaled(quantity: Quantity, factor: number, unit: string): Quantity {
  const { value, low, high, samples } = quantity;
  return {
    ...quantity,
    unit,
    value: value * factor,
    low: low * factor,
    high: high * factor,
    samples: samples && {
      n: samples.n,
      min: samples.min * factor,
      p5: samples.p5 * factor,
      p50: samples.p50 * factor,
      p95: samples.p95 * factor,
    },
  };
}

/**
 * `one` over `other`; the interval holds every quotient of values from both intervals. Where either is a
 * single sample, so is the quotient; null where it cannot be told.
 */
export function quotientOf(one: Quantity, other: Quantity, unit: string): Quantity | null {
  if (other.low <= 0) return null;
  const value = one.value / other.value;
  const method = "quotient of the two values";
  if (isOneSample(one) || isOneSample(other)) return oneSample(value, unit, method);
  const confidence = Math.min(one.confidence, other.confidence);
  if (confidence <= 0) return null;
  const [low, high] = [one.low / other.high, one.high / other.low];
  return { value, unit, low, high, confidence, method, samples: null, os_value: null, agrees: null };
}

/** How many times `other` is `base`; null of different units. */
export function ratioOf(other: Quantity, base: Quantity): Quantity | null {
  return other.unit === base.unit ? quotientOf(other, base, "ratio") : null;
}
