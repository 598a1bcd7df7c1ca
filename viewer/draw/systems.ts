// Many systems as rows: bars in their cells, sorted by any column, details on demand.
import type { SystemChart } from "../base/payload";
import { ABSENT } from "../base/units";
import { button, el } from "./dom";
import { registerDrawing } from "./registry";
import { classOf } from "./table";

registerDrawing<SystemChart>("systems", drawSystems);

type Row = SystemChart["rows"][number];
type Cell = Row["cells"][number];
type Column = SystemChart["columns"][number];

/** Of fewer systems all are in sight at once. */
const MOST_WITHOUT_FILTER = 12;

/** `column` -1 stands for the names, null for the order in which the rows were given. */
interface Order {
  column: number | null;
  descending: boolean;
}

interface TableState {
  chart: SystemChart;
  order: Order;
  words: string;
  open: Set<Row>;
}

/** From so many rows on a table fills the height that it may have. */
const LONG_TABLE = 30;

/** Titles and rows stay the elements that they are, so that a reader who sorts by keyboard keeps the place. */
function drawSystems(chart: SystemChart): HTMLElement {
  const state: TableState = { chart, order: { column: null, descending: true }, words: "", open: new Set() };
  const body = el("tbody");
  const count = el("span", { "aria-live": "polite" });
  const redraw = () => {
    const shown = inOrder(state);
    for (const { show } of titles) show(state.order);
    keepingFocus(() => {
      body.replaceChildren(...shown.flatMap((row) => rowsOf(row, lines, state)));
    });
    count.textContent = countText(shown.length, chart);
  };
  const titles = titlesOf(state, redraw);
  const lines = new Map(chart.rows.map((row) => [row, lineOf(row, state, redraw)] as const));
  redraw();
  const size = { "data-rows": chart.rows.length, class: classOf(chart.columns.length + 1) };
  const table = el("table", size, el("thead", {}, ...headOf(chart, titles)), body);
  const frame = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Systems" }, table);
  const kind = chart.rows.length < LONG_TABLE ? "systems" : "systems long";
  return el("div", { class: kind }, filterOf(state, count, redraw), frame);
}

/** What has the focus loses it where it is moved. */
function keepingFocus(change: () => void): void {
  const focused = document.activeElement;
  change();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
}

function countText(shown: number, { rows, of }: SystemChart): string {
  return shown === rows.length ? `${shown} ${of}s` : `${shown} of ${rows.length} ${of}s`;
}

function filterOf(state: TableState, count: HTMLElement, redraw: () => void): HTMLElement | null {
  const { rows, of } = state.chart;
  if (rows.length <= MOST_WITHOUT_FILTER) return null;
  const input = el("input", { type: "search", "aria-label": `Show ${of}s whose name contains` });
  input.addEventListener("input", () => {
    state.words = input.value.trim().toLowerCase();
    redraw();
  });
  return el("p", { class: "filter" }, el("label", {}, "Find ", input), count);
}

// ---- order ----

function inOrder({ chart, order, words }: TableState): Row[] {
  const rows = chart.rows.filter(({ name }) => name.toLowerCase().includes(words));
  const { column, descending } = order;
  if (column === null) return rows;
  const sign = descending ? -1 : 1;
  return rows.sort((one, other) => compared(one, other, column, sign));
}

/** What has no value stands last in either order. */
function compared(one: Row, other: Row, column: number, sign: number): number {
  if (column < 0) return sign * byWords(one.name, other.name);
  const [a, b] = [one.cells[column] ?? null, other.cells[column] ?? null];
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (a.value !== null && b.value !== null) return sign * (a.value - b.value);
  if (a.value !== null || b.value !== null) return Number(a.value === null) - Number(b.value === null);
  return sign * byWords(a.text, b.text);
}

/** Numbers within names by their value: node9 before node10. */
function byWords(one: string, other: string): number {
  return one.localeCompare(other, undefined, { numeric: true });
}

/** First best to worst, then the other way round. */
function sortedBy(column: number, { order, chart }: TableState): Order {
  if (order.column === column) return { column, descending: !order.descending };
  return { column, descending: column >= 0 && chart.columns[column]?.least !== true };
}

// ---- rows ----

interface Title {
  cell: HTMLElement;
  /** Marks the title whose column the rows follow. */
  show: (order: Order) => void;
}

function titlesOf(state: TableState, redraw: () => void): Title[] {
  const { columns, of } = state.chart;
  return [{ title: of, unit: "" }, ...columns].map(({ title, unit }, i) => {
    const sort = button(title, { "aria-label": `Sort by ${title}` }, () => {
      state.order = sortedBy(i - 1, state);
      redraw();
    });
    const cell = el("th", { scope: "col" }, sort, unit && el("span", { class: "unit" }, unit));
    const show = (order: Order) => {
      showOrder(order, i - 1, { cell, sort, title });
    };
    return { cell, show };
  });
}

function showOrder(
  { column, descending }: Order,
  own: number,
  { cell, sort, title }: { cell: HTMLElement; sort: HTMLElement; title: string },
): void {
  cell.removeAttribute("aria-sort");
  sort.textContent = title;
  if (column !== own) return;
  cell.setAttribute("aria-sort", descending ? "descending" : "ascending");
  sort.textContent = `${title} ${descending ? "▼" : "▲"}`;
}

function headOf({ columns }: SystemChart, titles: Title[]): Element[] {
  const titled = el("tr", {}, ...titles.map(({ cell }) => cell));
  return columns.some(({ group }) => group) ? [groupsOf(columns), titled] : [titled];
}

function groupsOf(columns: Column[]): Element {
  const spans: { group: string; span: number }[] = [];
  for (const { group } of columns) {
    const last = spans.at(-1);
    if (last?.group === group) last.span += 1;
    else spans.push({ group, span: 1 });
  }
  const cells = spans.map(({ group, span }) => el("th", { colspan: span, scope: "colgroup" }, group));
  return el("tr", { class: "groups" }, el("th"), ...cells);
}

function lineOf(row: Row, state: TableState, redraw: () => void): Element {
  const kind = row.marked ? "marked" : null;
  return el("tr", { class: kind }, nameOf(row, state, redraw), ...row.cells.map(cellOf));
}

/** The line of a row, and its details where they are open. */
function rowsOf(row: Row, lines: Map<Row, Element>, { open }: TableState): Element[] {
  const line = lines.get(row);
  if (!line) return [];
  return open.has(row) ? [line, detailsOf(row)] : [line];
}

function detailsOf({ cells, details }: Row): Element {
  const entries = details.map(([name, value]) =>
    el("div", {}, el("dt", {}, `${name}:`), el("dd", {}, value)),
  );
  const wide = el("td", { colspan: cells.length + 1 }, el("dl", {}, ...entries));
  return el("tr", { class: "details" }, wide);
}

function nameOf(row: Row, { open }: TableState, redraw: () => void): Element {
  if (row.details.length === 0) return el("th", { scope: "row" }, row.name);
  const unfold = button(row.name, { "aria-expanded": "false" }, () => {
    if (!open.delete(row)) open.add(row);
    unfold.setAttribute("aria-expanded", String(open.has(row)));
    redraw();
  });
  return el("th", { scope: "row" }, unfold);
}

function cellOf(cell: Cell): Element {
  if (cell === null) return el("td", { class: "absent" }, ABSENT);
  const bar = cell.share === null ? {} : { class: "bar", style: `--share:${within(cell.share)}` };
  return el("td", { "data-value": cell.value, ...bar }, cell.text);
}

function within(share: number): string {
  return Math.min(1, Math.max(0, share)).toFixed(4);
}
