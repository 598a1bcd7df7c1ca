// Every kind of block as elements.
import type {
  Advice,
  Callouts,
  Choice,
  DataTable,
  Figure,
  Heading,
  Lead,
  Note,
  Banner,
  Tile,
  Tiles,
} from "../base/payload";
import { copyText } from "./copy";
import { button, el } from "./dom";
import { dataOfDrawing, drawn, registerBlock, tableOfDrawing } from "./registry";
import { tableOf } from "./table";
import { wordsOf } from "./words";

const DONE_SHOWN_MS = 1600;
const SHOWN_PER_CODE = 2;
/** More callouts than this would push the figures off the first screen. */
const MOST_WHOLE = 3;

registerBlock<Banner>("banner", bannerOf);
registerBlock<Lead>("lead", ({ text }) => el("p", { class: "lead" }, ...wordsOf(text)));
registerBlock<Tiles>("tiles", ({ tiles }) => el("ul", { class: "tiles" }, ...tiles.map(tileOf)));
registerBlock<Callouts>("callouts", calloutsOf);
registerBlock<Heading>("heading", ({ text }) => el("h3", { class: "part" }, text));
registerBlock<Note>("note", ({ text }) => el("p", { class: "note" }, ...wordsOf(text)));
registerBlock<Choice>("choice", choiceOf);
registerBlock<Figure>("figure", figureOf);

const OUTCOME_MARKS = { good: "✓", warn: "!", bad: "✗" };

function bannerOf({ outcome, title, lines }: Banner): HTMLElement {
  return el(
    "div",
    { class: `banner ${outcome}`, role: outcome === "good" ? "status" : "alert" },
    el(
      "p",
      { class: "title" },
      el("span", { class: "mark-of", "aria-hidden": "true" }, OUTCOME_MARKS[outcome]),
      ...wordsOf(title),
    ),
    lines.length > 0 && el("ul", {}, ...lines.map((line) => el("li", {}, ...wordsOf(line)))),
  );
}

function tileOf({ title, value, unit, interval, lines, declared }: Tile): HTMLElement {
  return el(
    "li",
    { class: "tile" },
    el("h3", {}, title),
    el(
      "p",
      { class: /\d/.test(value) ? "headline" : "headline words" },
      value,
      unit && el("span", { class: "unit" }, ` ${unit}`),
    ),
    interval && el("p", { class: "interval" }, ...wordsOf(interval)),
    ...lines.map((line) => el("p", {}, ...wordsOf(line))),
    declared &&
      el(
        "p",
        { class: declared.agrees ? "agrees" : "disagrees" },
        `${declared.text} ${declared.agrees ? "✓ agrees" : "≠ differs"}`,
      ),
  );
}

/** One callout per code; of many with one code the rest can be unfolded, of many codes what to do. */
function calloutsOf({ advice }: Callouts): HTMLElement {
  const codes = [...new Set(advice.map(({ code }) => code))];
  const adviceOf = codes.length > MOST_WHOLE ? foldedAdvice : wholeAdvice;
  const callouts = codes.map((code) => {
    const same = advice.filter((one) => one.code === code).map(adviceOf);
    const rest = same.slice(SHOWN_PER_CODE);
    const more = el("details", {}, el("summary", {}, `${rest.length} more`), ...rest);
    return el("li", {}, ...same.slice(0, SHOWN_PER_CODE), rest.length > 0 && more, el("code", {}, code));
  });
  return el("ul", { class: "callouts", "aria-label": "What to know about these results" }, ...callouts);
}

function wholeAdvice({ what, next }: Advice): HTMLElement {
  return el("div", { class: "advice" }, el("p", { class: "what" }, ...wordsOf(what)), next && todoOf(next));
}

function foldedAdvice(advice: Advice): HTMLElement {
  const { what, next } = advice;
  if (!next) return wholeAdvice(advice);
  return el("details", { class: "advice" }, el("summary", { class: "what" }, ...wordsOf(what)), todoOf(next));
}

function todoOf(next: string): HTMLElement {
  return el("p", {}, el("strong", {}, "What to do: "), ...wordsOf(next));
}

function choiceOf({ id, label, options }: Choice): HTMLElement {
  const shown = el("div");
  const select = el(
    "select",
    { id: `choose-${id}` },
    ...options.map((option, i) => el("option", { value: i }, option.label)),
  );
  const chosen = el("span", { class: "chosen", "aria-hidden": "true" });
  const show = () => {
    const option = options[select.selectedIndex];
    if (!option) return;
    shown.replaceChildren(figureOf(option.figure));
    chosen.replaceChildren(el("span", {}, option.label));
  };
  select.addEventListener("change", show);
  show();
  return el(
    "div",
    { class: "choice" },
    el("p", { class: "chooser" }, el("label", { for: select.id }, `${label} `), select, chosen),
    shown,
  );
}

function figureOf(figure: Figure): HTMLElement {
  const { id, title, what, method, drawing } = figure;
  const data = el("div", { class: "data", id: `${id}-data` });
  const actions = el("div", { class: "actions" }, drawing && dataButton(figure, data), copyButton(figure));
  if (!drawing) data.append(tableOf(tableIn(figure), title));
  return el(
    "figure",
    { id, class: drawing ? "" : "table-only" },
    el("header", {}, el("h3", {}, title), actions),
    drawing && drawn(drawing),
    el(
      "figcaption",
      {},
      el("p", {}, ...wordsOf(what)),
      method && el("p", { class: "method" }, el("b", {}, "Method. "), ...wordsOf(method)),
    ),
    data,
  );
}

const NO_ROWS: DataTable = { columns: [], rows: [], units: [] };

function tableIn({ table, drawing }: Figure): DataTable {
  return table ?? (drawing ? tableOfDrawing(drawing) : NO_ROWS);
}

/** What is copied: what the figure has for it, else what follows from its drawing, else its table. */
function dataIn(figure: Figure): unknown {
  const { data, drawing } = figure;
  return data ?? (drawing && dataOfDrawing(drawing)) ?? tableIn(figure);
}

/** The table is made when it is first asked for. */
function dataButton(figure: Figure, data: HTMLElement): HTMLButtonElement {
  data.hidden = true;
  return button(
    "Data",
    { "aria-expanded": "false", "aria-controls": data.id, "aria-label": `Data of ${figure.title}` },
    (self) => {
      if (!data.hasChildNodes()) data.append(tableOf(tableIn(figure), figure.title));
      data.hidden = !data.hidden;
      self.setAttribute("aria-expanded", String(!data.hidden));
    },
  );
}

function copyButton(figure: Figure): HTMLButtonElement {
  return button("Copy JSON", { "aria-label": `Copy JSON of ${figure.title}`, class: "copy" }, (self) => {
    void copyText(JSON.stringify(dataIn(figure), null, 1)).then((outcome) => {
      if (outcome !== "copied") return;
      self.textContent = "Copied";
      setTimeout(() => (self.textContent = "Copy JSON"), DONE_SHOWN_MS);
    });
  });
}
