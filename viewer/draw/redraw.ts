// Redraws drawings when what they depend on besides their data changes: theme, width, print.
import { fitTexts } from "./text";

export interface Palette {
  ink: string;
  soft: string;
  line: string;
  card: string;
  series: string[];
  levels: string[];
  ramp: string[];
}

const SERIES_TONES = 7;
const RAMP_STEPS = 5;
/** A4 without its margins, in CSS pixels: drawings are laid out anew for paper. */
const PRINT_WIDTH = 680;
const STORED_THEME = "groma-theme";

type Redraw = () => void;

const redraws = new Set<Redraw>();
const printListeners = new Set<(printing: boolean) => void>();
let printing = false;

/** Draws now and whenever theme, width or medium change, for as long as `host` is part of the page. */
export function redrawOnChange(host: Element, draw: Redraw): void {
  const redraw = () => {
    if (!host.isConnected) {
      redraws.delete(redraw);
      return;
    }
    draw();
    fitTexts(host);
  };
  redraws.add(redraw);
  requestAnimationFrame(redraw);
}

/** Calls `change` before the page is laid out for paper, and after that. */
export function onPrint(change: (printing: boolean) => void): void {
  printListeners.add(change);
}

export function drawingWidth(host: Element): number {
  return printing ? PRINT_WIDTH : Math.max(240, host.clientWidth);
}

export function palette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const several = (name: string, count: number) =>
    Array.from({ length: count }, (_, i) => read(`${name}-${i}`));
  return {
    ink: read("ink"),
    soft: read("soft"),
    line: read("line"),
    card: read("card"),
    series: several("series", SERIES_TONES),
    levels: several("level", 4),
    ramp: several("ramp", RAMP_STEPS),
  };
}

export function isDark(): boolean {
  return document.documentElement.dataset.theme === "dark";
}

export function setDark(dark: boolean): void {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  redrawAll();
}

/** The reader's choice if there is one, else the system's; paper is always light. */
export function observeDisplay(): void {
  const preference = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    setDark(!printing && (storedTheme() ?? (preference.matches ? "dark" : "light")) === "dark");
  };
  const setPrinting = (now: boolean) => () => {
    if (printing !== now) {
      printing = now;
      for (const change of printListeners) change(now);
    }
    apply();
  };
  preference.addEventListener("change", apply);
  matchMedia("print").addEventListener("change", ({ matches }) => {
    setPrinting(matches)();
  });
  addEventListener("beforeprint", setPrinting(true));
  addEventListener("afterprint", setPrinting(false));
  addEventListener("resize", onNewWidth());
  apply();
}

function redrawAll(): void {
  for (const redraw of redraws) redraw();
}

/** Phones change the height of the window while scrolling; only the width matters. */
function onNewWidth(): () => void {
  let width = innerWidth;
  let waiting = 0;
  return () => {
    if (innerWidth === width) return;
    width = innerWidth;
    clearTimeout(waiting);
    waiting = window.setTimeout(redrawAll, 120);
  };
}

/** Storage may be forbidden for files; the choice then lasts as long as the page. */
export function storeTheme(theme: "dark" | "light"): void {
  try {
    localStorage.setItem(STORED_THEME, theme);
  } catch {
    // Nothing to do: the page works without.
  }
}

function storedTheme(): string | null {
  try {
    return localStorage.getItem(STORED_THEME);
  } catch {
    return null;
  }
}
