// Finding and relating quantities.
import type { Quantity } from "./record";

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

/** How many times `other` is `base`; the interval holds every ratio of values from both intervals. */
export function ratioOf(other: Quantity, base: Quantity): Quantity | null {
  if (other.unit !== base.unit || base.low <= 0 || base.value <= 0) return null;
  if (Math.min(other.confidence, base.confidence) <= 0) return null;
  return {
    value: other.value / base.value,
    unit: "ratio",
    low: other.low / base.high,
    high: other.high / base.low,
    confidence: Math.min(other.confidence, base.confidence),
    method: "ratio of the two values",
    samples: null,
    os_value: null,
    agrees: null,
  };
}
