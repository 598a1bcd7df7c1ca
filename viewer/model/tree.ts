// Any JSON value as rows of path and value, for what no view knows better.
import type { CellValue } from "./figure";
import { isQuantity } from "./quantity";

export interface Leaf {
  path: string;
  value: CellValue;
}

/** Leaves in order; lists of plain values stay on one row. */
export function leavesOf(value: unknown, path = ""): Leaf[] {
  if (isQuantity(value)) return [{ path, value }];
  if (Array.isArray(value)) {
    return value.every(isPlain)
      ? [{ path, value: value.map((item: unknown) => String(item)).join(", ") }]
      : value.flatMap((item, i) => leavesOf(item, `${path}[${i}]`));
  }
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([key, item]) => leavesOf(item, path ? `${path}.${key}` : key));
  }
  return [{ path, value: isPlain(value) ? value : null }];
}

function isPlain(value: unknown): value is string | number | boolean | null {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

/** Leaves with something in them. */
export function filledLeavesOf(value: unknown): Leaf[] {
  return leavesOf(value).filter((leaf) => leaf.value !== null && leaf.value !== "");
}
