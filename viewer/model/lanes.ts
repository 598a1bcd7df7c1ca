// Lanes of strips from quantities.
import type { Lane } from "./figure";
import type { Quantity } from "./record";
import { formatQuantity } from "./units";

/** The value with its interval; `more` adds dots or other words. */
export function quantityLane(quantity: Quantity, tone: number, more: Partial<Lane> = {}): Lane {
  const { value, low, high } = quantity;
  return { tone, value, low, high, dots: [], told: formatQuantity(quantity), ...more };
}
