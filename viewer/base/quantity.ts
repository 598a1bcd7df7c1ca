// Distinguishes quantities from other values.
import type { Quantity } from "./payload";

const FIELDS = ["value", "unit", "low", "high", "confidence", "method"];

export function isQuantity(value: unknown): value is Quantity {
  return typeof value === "object" && value !== null && FIELDS.every((field) => field in value);
}
