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

function drawSystems(chart: SystemChart): HTMLElement {
  const state: TableState = { chart, order: { column: null, descending: true }, words: "", open: new Set() };
  const body = el("tbody");
  const head = el("thead");
  const size = { "data-rows": chart.rows.length, class: classOf(chart.columns.length + 1) };
  const table = el("table", size, head, body);
  const redraw = () => {
    head.replaceChildren(...headOf(state, redraw));
    body.replaceChildren(...inOrder(state).flatMap((row) => rowsOf(row, state, redraw)));
  };
  redraw();
  const frame = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Systems" }, table);
  return el("div", { class: "systems" }, filterOf(state, redraw), frame);
}

function filterOf(state: TableState, redraw: () => void): HTMLElement | null {
  const { rows, of } = state.chart;
  if (rows.length <= MOST_WITHOUT_FILTER) return null;
  const input = el("input", { type: "search", "aria-label": `Show ${of}s whose name contains` });
  input.addEventListener("input", () => {
    state.words = input.value.trim().toLowerCase();
    redraw();
  });
  return el("p", { class: "filter" }, el("label", {}, "Find ", input), `${rows.length} ${of}s`);
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
  if (column < 0) return sign * one.name.localeCompare(other.name);
  const [a, b] = [one.cells[column] ?? null, other.cells[column] ?? null];
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (a.value !== null && b.value !== null) return sign * (a.value - b.value);
  return sign * a.text.localeCompare(b.text);
}

/** First best to worst, then the other way round. */
function sortedBy(column: number, { order, chart }: TableState): Order {
  if (order.column === column) return { column, descending: !order.descending };
  return { column, descending: column >= 0 && chart.columns[column]?.least !== true };
}

// ---- rows ----

function headOf(state: TableState, redraw: () => void): Element[] {
  const { columns, of } = state.chart;
  const titles = [{ title: of, unit: "" }, ...columns].map(({ title, unit }, i) =>
    titleOf(title, unit, i - 1, state, redraw),
  );
  const titled = el("tr", {}, ...titles);
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

function titleOf(
  title: string,
  unit: string,
  column: number,
  state: TableState,
  redraw: () => void,
): Element {
  const { order } = state;
  const is = order.column === column;
  const mark = is ? (order.descending ? " ▼" : " ▲") : "";
  const sort = button(title + mark, { "aria-label": `Sort by ${title}` }, () => {
    state.order = sortedBy(column, state);
    redraw();
  });
  const sorted = is ? (order.descending ? "descending" : "ascending") : null;
  return el("th", { scope: "col", "aria-sort": sorted }, sort, unit && el("span", { class: "unit" }, unit));
}

function rowsOf(row: Row, state: TableState, redraw: () => void): Element[] {
  const kind = row.marked ? "marked" : null;
  const line = el("tr", { class: kind }, nameOf(row, state, redraw), ...row.cells.map(cellOf));
  if (!state.open.has(row)) return [line];
  const entries = row.details.map(([name, value]) =>
    el("div", {}, el("dt", {}, `${name}:`), el("dd", {}, value)),
  );
  const wide = el("td", { colspan: row.cells.length + 1 }, el("dl", {}, ...entries));
  return [line, el("tr", { class: "details" }, wide)];
}

function nameOf(row: Row, { open }: TableState, redraw: () => void): Element {
  if (row.details.length === 0) return el("th", { scope: "row" }, row.name);
  const unfold = button(row.name, { "aria-expanded": String(open.has(row)) }, () => {
    if (!open.delete(row)) open.add(row);
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
