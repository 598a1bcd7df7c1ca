// How numbers are written: the same rules as groma.record.units, held to them by formatting.cases.json.
import type { Quantity } from "./payload";

type Prefix = readonly [divisor: number, prefix: string];

const SI: Prefix[] = [
  [1e15, "P"],
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
];
const SMALL: Prefix[] = [
  [1, ""],
  [1e-3, "m"],
  [1e-6, "µ"],
  [1e-9, "n"],
  [1e-12, "p"],
];
const IEC: Prefix[] = [
  [2 ** 50, "Pi"],
  [2 ** 40, "Ti"],
  [2 ** 30, "Gi"],
  [2 ** 20, "Mi"],
  [2 ** 10, "Ki"],
  [1, ""],
];
const PLAIN: Prefix[] = [[1, ""]];

export const NOT_DETERMINED = "not determined";
export const ABSENT = "–";
export const ONE_SAMPLE = "one sample";
const NO_BREAK = "\u00a0";

export interface Scale {
  divisor: number;
  unit: string;
}

function prefixesOf(unit: string): Prefix[] {
  if (unit === "B") return IEC;
  if (unit === "s" || unit.startsWith("s/")) return SMALL;
  if (unit === "Hz" || unit.endsWith("/s")) return SI;
  return PLAIN;
}

/** The divisor and the prefixed unit in which `value` reads best. */
export function scaleOf(value: number, unit: string): Scale {
  if (value === 0) return { divisor: 1, unit };
  const prefixes = prefixesOf(unit);
  const size = Math.abs(value) * (1 + 5e-4);
  const [divisor, prefix] = prefixes.find(([divisor]) => size >= divisor) ?? prefixes.at(-1) ?? [1, ""];
  return { divisor, unit: prefix + unit };
}

/** Decimal exponent of the smallest numbers that are written without an exponent. */
const LEAST_FIXED = -4;
/** Larger bounds have an exponent: nobody counts their digits. */
const LONGEST_FIXED = 1e15;

/** At least `digits` significant digits; whole numbers without a fraction. */
export function formatNumber(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return "unknown";
  const magnitude = magnitudeOf(value, digits);
  if (value !== 0 && (magnitude < LEAST_FIXED || magnitude > 6)) return scientific(value, digits);
  return fixed(value, Math.max(0, digits - 1 - magnitude));
}

/** A bound of `value` to as many decimals as that has with `digits` significant digits. */
function boundOf(number: number, value: number, digits: number): string {
  const magnitude = magnitudeOf(value, digits);
  if (value !== 0 && (magnitude < LEAST_FIXED || Math.abs(number) >= LONGEST_FIXED))
    return scientific(number, digits);
  return fixed(number, Math.max(0, digits - 1 - magnitude));
}

function scientific(value: number, digits: number): string {
  if (!Number.isFinite(value)) return "unknown";
  const decimals = digits - 1 - magnitudeOf(value, digits);
  return pythonExponent(tieToEven(value, decimals, (one) => one.toExponential(digits - 1)));
}

/** The decimal exponent after rounding: 0.9999 is shown as 1.00, not as 1.000. */
function magnitudeOf(value: number, digits: number): number {
  return Number(value.toExponential(digits - 1).split("e")[1]);
}

function fixed(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return "unknown";
  // A prefix divides with rounding: 3e-8 s must still be 30 ns.
  const whole = Math.round(value);
  const isWhole = Math.abs(value - whole) <= 1e-12 * Math.max(Math.abs(value), Math.abs(whole));
  const shown = isWhole ? 0 : decimals;
  return tieToEven(value, shown, (one) => one.toFixed(shown));
}

/** JavaScript writes a tie away from zero; Python, and with it the terminal, so that its last digit is even. */
function tieToEven(value: number, decimals: number, write: (one: number) => string): string {
  const text = write(value);
  const isOdd = /^[^e]*[13579](e|$)/.test(text);
  if (!isOdd || !isTie(value, decimals)) return text;
  return write(value - (Math.sign(value) * 10 ** -decimals) / 4);
}

/** Whether it is half-way between two numbers of so many decimals, or of so many zeros if that is negative. */
function isTie(value: number, decimals: number): boolean {
  const size = Math.abs(value);
  if (decimals < 0) return (size % 10 ** -decimals) * 2 === 10 ** -decimals;
  // Exact, unlike a power of ten: what ends in a five after `decimals` decimals has as many binary places as digits.
  return (size * 2 ** (decimals + 1)) % 2 === 1;
}

/** Python writes at least two digits of exponent: 1.23e+07. */
function pythonExponent(text: string): string {
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}

/** The unit of a column of counts. */
export const COUNT = "count";

/** E.g. `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

/** A plain ratio is marked as one, so that no number stands alone. */
export function unitLabel(unit: string): string {
  return ["", "1", "ratio"].includes(unit) ? "x" : unit;
}

/** E.g. `1.30 ns`, `32 KiB`, `10.8 GB/s`. */
export function formatValue(value: number, unit: string): string {
  const scale = scaleOf(value, unit);
  return `${formatNumber(value / scale.divisor)} ${unitLabel(scale.unit)}`;
}

const LEAST_DIGITS = 3;
/**
 * What a value over the width of its interval is above, where a digit more shows it. A hundred or a thousand with the
 * dust of a division needs none.
 */
const RESOLVED = [100.0000001, 1000.000001];

/** Significant digits that show the interval: at least three, at most five. */
function digitsToResolve({ value, low, high }: Quantity): number {
  const width = high - low;
  if (!(Number.isFinite(width) && width > 0)) return LEAST_DIGITS;
  return LEAST_DIGITS + RESOLVED.filter((border) => Math.abs(value) / width > border).length;
}

type Triple = [value: number, low: number, high: number];

export interface Parts {
  value: string;
  unit: string;
  /** `[1.29, 1.31]`, not to be broken, empty where the value is exact or not determined. */
  interval: string;
}

/** Whether one sample is all there is: it has a value, but no interval. */
export function isOneSample({ confidence, samples }: Quantity): boolean {
  return confidence <= 0 && samples?.n === 1;
}

/** The pieces of a quantity for where they are set apart; all in one unit. */
export function partsOf(quantity: Quantity): Parts {
  if (isOneSample(quantity)) {
    const [value = "", unit = ""] = formatValue(quantity.value, quantity.unit).split(" ");
    return { value, unit, interval: "" };
  }
  if (quantity.confidence <= 0) return { value: NOT_DETERMINED, unit: "", interval: "" };
  const scale = scaleOf(quantity.value, quantity.unit);
  const [value, low, high] = [quantity.value, quantity.low, quantity.high].map(
    (one) => one / scale.divisor,
  ) as Triple;
  const digits = digitsToResolve(quantity);
  const bound = (one: number) => boundOf(one, value, digits);
  const exact = low === high || !Number.isFinite(value);
  return {
    value: formatNumber(value, digits),
    unit: unitLabel(scale.unit),
    interval: exact ? "" : `[${bound(low)},${NO_BREAK}${bound(high)}]`,
  };
}

/**
 * E.g. `1.30 ns [1.29, 1.31]`, `1.30 ns, one sample`; any other quantity of confidence 0 is "not determined", null a
 * dash.
 */
export function formatQuantity(quantity: Quantity | null): string {
  if (quantity === null) return ABSENT;
  const { value, unit, interval } = partsOf(quantity);
  const shown = [value, unit, interval].filter(Boolean).join(" ");
  return isOneSample(quantity) ? `${shown}, ${ONE_SAMPLE}` : shown;
}

/** The value alone, with its unit. */
export function formatPoint(quantity: Quantity): string {
  const { value, unit } = partsOf(quantity);
  return [value, unit].filter(Boolean).join(" ");
}
