// Data tables. Long ones show their rows in pages, so that 100 000 cells do not stall the browser.
import type { DataTable, Quantity } from "../base/payload";
import { isQuantity } from "../base/quantity";
import {
  ABSENT,
  COUNT,
  formatCount,
  formatNumber,
  formatValue,
  isOneSample,
  ONE_SAMPLE,
  partsOf,
} from "../base/units";
import { button, el } from "./dom";
import { onPrint } from "./redraw";
import { wordsOf } from "./words";

type Row = DataTable["rows"][number];

const PAGE_ROWS = 500;
/** Nearly a hundred sheets. */
const PAPER_ROWS = 5000;
/** Text of more letters gets room, so that it is not wrapped word by word. */
const LONG_TEXT = 22;
const MOST_WIDE_COLUMNS = 6;
/** From so many rows on a table fills the height that it may have. */
const LONG_TABLE = 16;

/** A table element that knows in `data-rows` how many rows the data has. */
export function tableOf({ columns, rows, units }: DataTable, label: string): HTMLElement {
  const body = el("tbody");
  const table = el(
    "table",
    { "data-rows": rows.length, class: classOf(columns.length) },
    el("thead", {}, el("tr", {}, ...columns.map((title) => el("th", { scope: "col" }, title)))),
    body,
  );
  const frame = el(
    "div",
    {
      class: rows.length < LONG_TABLE ? "scroll" : "scroll long",
      tabindex: 0,
      role: "region",
      "aria-label": `Data of ${label}`,
    },
    table,
  );
  if (rows.length <= PAGE_ROWS) {
    body.append(...rows.map((row) => rowOf(row, units)));
    return frame;
  }
  return el("div", {}, pager(rows, units, body), frame);
}

/** Many columns get less room each. */
export function classOf(columns: number): string {
  if (columns === 2) return "pairs";
  return columns > MOST_WIDE_COLUMNS ? "dense" : "";
}

/** Lays the rows of a table out for paper, or for the screen. */
const layouts = new WeakMap<Element, (onPaper: boolean) => void>();

/** Paper has no pages to choose from: all tables that are there are laid out as a whole, as far as that is sensible. */
export function wholeTablesOnPaper(): void {
  onPrint((onPaper) => {
    for (const pager of document.querySelectorAll(".pager")) layouts.get(pager)?.(onPaper);
  });
}

function pager(rows: Row[], units: string[], body: HTMLElement): HTMLElement {
  const status = el("span", { "aria-live": "polite" });
  let first = 0;
  const layOut = (from: number, most: number) => {
    const part = rows.slice(from, from + most);
    body.replaceChildren(...part.map((row) => rowOf(row, units)));
    status.textContent = `rows ${from + 1} to ${from + part.length} of ${rows.length}`;
    self.classList.toggle("complete", part.length === rows.length);
  };
  const show = (from: number) => {
    first = Math.min(Math.max(0, from), Math.floor((rows.length - 1) / PAGE_ROWS) * PAGE_ROWS);
    layOut(first, PAGE_ROWS);
  };
  const previous = button("Previous", {}, () => {
    show(first - PAGE_ROWS);
  });
  const next = button("Next", {}, () => {
    show(first + PAGE_ROWS);
  });
  const self = el("div", { class: "pager" }, previous, status, next);
  layouts.set(self, (onPaper) => {
    if (onPaper) layOut(0, PAPER_ROWS);
    else show(first);
  });
  show(0);
  return self;
}

function rowOf(cells: Row, units: string[]): HTMLElement {
  return el("tr", {}, ...cells.map((cell, i) => cellOf(cell, units[i] ?? "")));
}

function cellOf(value: Row[number], unit: string): HTMLElement {
  if (value === null) return el("td", { class: "absent" }, ABSENT);
  if (isQuantity(value)) return quantityCell(value);
  if (typeof value === "number")
    return el("td", { class: "number" }, el("span", {}, numberText(value, unit)));
  if (typeof value === "boolean") return el("td", {}, value ? "yes" : "no");
  return el("td", { class: textClass(value) }, ...wordsOf(value));
}

const NUMBER = /^[\d,.]+$/;

/** Short text and numbers are not broken within their words; a long name without blanks is broken into few lines. */
function textClass(value: string): string {
  if (value.length <= LONG_TEXT || NUMBER.test(value)) return "short";
  return value.includes(" ") ? "prose" : "name";
}

/** In the unit of the column; else whole numbers as they are, measured ones with the digits they have. */
function numberText(value: number, unit: string): string {
  if (unit === COUNT) return formatCount(value);
  if (unit) return formatValue(value, unit);
  return Number.isInteger(value) ? String(value) : formatNumber(value, 4);
}

function quantityCell(quantity: Quantity): HTMLElement {
  const { value, unit, interval } = partsOf(quantity);
  const isOne = isOneSample(quantity);
  return el(
    "td",
    { class: "number" },
    el("span", {}, [value, unit].filter(Boolean).join(" "), isOne && ","),
    (interval || isOne) && " ",
    (interval || isOne) && el("span", { class: "interval" }, interval || ONE_SAMPLE),
  );
}
