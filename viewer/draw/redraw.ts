// Redraws drawings when what they depend on besides their data changes: theme, width, print.
import { fitTexts } from "./text";

const RAMP_STEPS = 5;
const TONES = 7;
/** A4 without its margins, in CSS pixels: drawings are laid out anew for paper. */
const PRINT_WIDTH = 680;
const STORED_THEME = "groma-theme";

/** Fills a place of the page that is so many pixels wide. */
type Draw = (width: number) => void;

interface PlacedDrawing {
  place: Element;
  draw: Draw;
}

const drawings = new Set<PlacedDrawing>();
/** Those of the next frame. */
const awaited = new Set<PlacedDrawing>();
const printListeners = new Set<(printing: boolean) => void>();
let printing = false;

/**
 * Draws in the next frame and whenever theme, width or medium change, for as long as `place` is part of the
 * page. Returns what draws it alone, for other changes.
 */
export function redrawOnChange(place: Element, draw: Draw): () => void {
  const placed = { place, draw };
  drawings.add(placed);
  if (awaited.size === 0)
    requestAnimationFrame(() => {
      drawAll([...awaited]);
    });
  awaited.add(placed);
  return () => {
    drawAll([placed]);
  };
}

/** All widths are read before any drawing changes the page, so that a page of many is not laid out for each. */
function drawAll(all: PlacedDrawing[]): void {
  const present = all.filter((placed) => isPresent(placed));
  const widths = present.map(({ place }) => drawingWidth(place));
  present.forEach((placed, i) => {
    awaited.delete(placed);
    drawOrSay(placed, widths[i] ?? 0);
  });
  fitTexts(present.map(({ place }) => place));
}

/** Forgets a drawing whose place has left the page. */
function isPresent(placed: PlacedDrawing): boolean {
  if (placed.place.isConnected) return true;
  awaited.delete(placed);
  drawings.delete(placed);
  return false;
}

/** A drawing that fails says so in its place and leaves the others alone. */
function drawOrSay({ place, draw }: PlacedDrawing, width: number): void {
  try {
    draw(width);
  } catch (error) {
    place.replaceChildren("This could not be drawn. The data are in the table.");
    queueMicrotask(() => {
      throw error; // for the console
    });
  }
}

/** Calls `change` before the page is laid out for paper, and after that. */
export function onPrint(change: (printing: boolean) => void): void {
  printListeners.add(change);
}

function drawingWidth(place: Element): number {
  return printing ? PRINT_WIDTH : Math.max(240, place.clientWidth);
}

/** Reading them from the style sheet makes the browser style all that is new in the page: once a theme is enough. */
const palettes = new Map<string, string[]>();

/** The colours of heat maps in the theme that is shown, from the lowest value to the highest. */
export function ramp(): string[] {
  return palette("ramp", RAMP_STEPS);
}

/** The colours of tones in the theme that is shown. */
export function toneColours(): string[] {
  return palette("series", TONES);
}

function palette(name: string, size: number): string[] {
  const key = `${name} ${String(isDark())}`;
  const colours = palettes.get(key) ?? readPalette(name, size);
  palettes.set(key, colours);
  return colours;
}

function readPalette(name: string, size: number): string[] {
  const style = getComputedStyle(document.documentElement);
  return Array.from({ length: size }, (_, i) => style.getPropertyValue(`--${name}-${i}`).trim());
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
  drawAll([...drawings]);
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
