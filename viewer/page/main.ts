// The report page: header, contents, the comparison where there is one, and the sections of one record.
import "all:draw";
import "all:kinds";
import type { Page, PageRecord, PageSection } from "../base/payload";
import { button, el } from "../draw/dom";
import { blockOf } from "../draw/registry";
import { onPrint, observeDisplay, isDark, setDark, storeTheme } from "../draw/redraw";
import { wholeTablesOnPaper } from "../draw/table";
import { wordsOf } from "../draw/words";
import { loadPage } from "./load";
import { logo } from "./logo";

function sectionOf({ id, title, blocks }: PageSection): HTMLElement {
  return el(
    "section",
    { id: `section-${id}`, "aria-label": title },
    el("h2", {}, title),
    ...blocks.map(blockOf),
  );
}

/** Paper has no tabs: each record is there, under its name. */
function printed({ name, sections }: PageRecord): HTMLElement[] {
  return [el("h2", { class: "of-record" }, name), ...sections.map(sectionOf)];
}

function contentsOf(sections: PageSection[]): HTMLElement {
  const links = sections.map(({ id, title }) => el("li", {}, el("a", { href: `#section-${id}` }, title)));
  return el("nav", { "aria-label": "Contents" }, el("ol", {}, ...links));
}

/** Marks in the contents the section that is being read. */
function scrollSpy(side: HTMLElement): IntersectionObserver {
  const upperThird = { rootMargin: "-15% 0px -65% 0px" };
  return new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) {
      const link = side.querySelector(`a[href="#${target.id}"]`);
      if (isIntersecting) link?.setAttribute("aria-current", "true");
      else link?.removeAttribute("aria-current");
    }
  }, upperThird);
}

function themeButton(): HTMLButtonElement {
  const label = () => (isDark() ? "Light" : "Dark");
  const self = button(label(), { class: "theme", "aria-label": "Switch between dark and light" }, () => {
    storeTheme(isDark() ? "light" : "dark");
    setDark(!isDark());
    self.textContent = label();
  });
  return self;
}

function headerOf({ title, kind, about }: Page): HTMLElement {
  return el(
    "header",
    { class: "page" },
    el(
      "div",
      { class: "brand" },
      logo(),
      el("span", {}, "groma"),
      el("span", { class: "soft" }, ` ${kind} report`),
      themeButton(),
    ),
    el("h1", {}, title),
    el("p", { class: "soft" }, ...wordsOf(about)),
  );
}

/** Tabs to choose the record whose sections are shown; none for a single record. */
function recordTabs(records: PageRecord[], show: (record: PageRecord) => void): HTMLElement | null {
  if (records.length < 2) return null;
  const choices = records.map((record, i) => {
    const input = el("input", { type: "radio", name: "record", id: `record-${i}`, checked: i === 0 });
    input.addEventListener("change", () => {
      show(record);
    });
    return el("label", {}, input, el("span", {}, record.name));
  });
  return el("fieldset", { class: "records" }, el("legend", {}, "Details of"), ...choices);
}

/** Blocks of all sections from which on a page is not laid out as a whole at first sight. */
const VAST = 300;

function isVast({ comparison, records }: Page): boolean {
  const sections = [...comparison, ...(records[0]?.sections ?? [])];
  return sections.reduce((sum, { blocks }) => sum + blocks.length, 0) > VAST;
}

/** Paper cannot be unfolded: what is folded is open there. */
function unfoldOnPaper(): void {
  let folded: HTMLDetailsElement[] = [];
  onPrint((onPaper) => {
    if (onPaper) folded = [...document.querySelectorAll<HTMLDetailsElement>("details:not([open])")];
    for (const one of folded) one.open = onPaper;
  });
}

function build(page: Page): void {
  const { comparison, records } = page;
  const details = el("div");
  const side = el("div", { class: "side" });
  const reading = scrollSpy(side);
  const compared = comparison.map(sectionOf);
  const show = ({ sections }: PageRecord) => {
    const shown = sections.map(sectionOf);
    details.replaceChildren(...shown);
    side.replaceChildren(contentsOf([...comparison, ...sections]));
    reading.disconnect(); // the contents are new, and nothing in them is marked
    for (const section of [...compared, ...shown]) reading.observe(section);
  };
  let [chosen] = records;
  const choose = (record: PageRecord) => {
    chosen = record;
    show(record);
  };
  if (chosen) show(chosen);
  if (records.length > 1) {
    onPrint((onPaper) => {
      if (onPaper) details.replaceChildren(...records.flatMap(printed));
      else if (chosen) show(chosen);
    });
  }
  unfoldOnPaper();
  wholeTablesOnPaper();
  document.title = `${page.title} · groma`;
  document.body.append(
    el("a", { class: "skip", href: "#content" }, "Skip to the report"),
    headerOf(page),
    el(
      "div",
      { class: "frame-of-page" },
      side,
      el(
        "main",
        { id: "content", class: isVast(page) ? "vast" : null },
        ...compared,
        recordTabs(records, choose),
        details,
      ),
    ),
    el("footer", { class: "soft" }, "One file, nothing fetched: this page works offline. Made by groma."),
  );
}

/** The part that the address names is there only now, and above it is what was just drawn. */
function showNamedPart(): void {
  const id = location.hash.slice(1);
  if (id) document.getElementById(id)?.scrollIntoView({ behavior: "instant" });
}

async function start(): Promise<void> {
  observeDisplay();
  try {
    build(await loadPage());
    requestAnimationFrame(showNamedPart);
  } catch (error) {
    document.body.append(
      el("p", { class: "failure", role: "alert" }, error instanceof Error ? error.message : String(error)),
    );
    throw error;
  }
}

void start();
