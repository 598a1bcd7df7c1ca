// Headline figures from quantities.
import type { Tile } from "./figure";
import { isOneSample } from "./quantity";
import type { Quantity } from "./record";
import { formatShare, formatValue, partsOf } from "./units";
import { count } from "./words";

/** With what the system declares of the same thing. */
export function quantityTile(title: string, quantity: Quantity, lines: string[]): Tile {
  const { value, unit } = partsOf(quantity);
  return { title, value, unit, interval: intervalOf(quantity), lines, declared: declaredOf(quantity) };
}

/** With the number of samples; a single one is told with its value. */
export function sampledTile(title: string, quantity: Quantity, lines: string[]): Tile {
  const told = isOneSample(quantity) ? { ...quantity, confidence: 1 } : quantity;
  const n = quantity.samples?.n ?? 0;
  const interval =
    n === 1 ? "one sample, no interval" : [intervalOf(told), count(n, "sample")].filter(Boolean).join(", ");
  return { ...quantityTile(title, told, lines), interval, declared: null };
}

export function plainTile(title: string, value: string, unit: string, lines: string[]): Tile {
  return { title, value, unit, interval: "", lines, declared: null };
}

function intervalOf(quantity: Quantity): string {
  const { unit, interval } = partsOf(quantity);
  return interval ? `${interval} ${unit}, ${formatShare(quantity.confidence)}` : "";
}

function declaredOf({ os_value, unit, agrees }: Quantity): Tile["declared"] {
  return os_value === null || agrees === null ? null : { text: `OS: ${formatValue(os_value, unit)}`, agrees };
}
