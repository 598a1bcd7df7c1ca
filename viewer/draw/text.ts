// Text that keeps to its room.
import { svg } from "./dom";

/** Width of a letter over the size of its font, in the widest of the usual fonts. */
const WIDE_LETTER = 0.64;

/** Room that holds so many letters in any of the usual fonts, in pixels as the size of the font. */
export function roomFor(letters: number, fontSize: number): number {
  return letters * fontSize * WIDE_LETTER;
}

/** Where text that is too long is cut: names that begin alike and end apart are cut within. */
type Cut = "end" | "within";

/**
 * `text` cut to `room` pixels with letters of about `letter` pixels; what is cut has all of it in its title.
 * Fonts differ: `fitTexts` cuts what is still too long once it is part of the page.
 */
export function cutText(
  text: string,
  { room, letter, cut = "end", ...place }: { x: number; y: number; room: number; letter: number; cut?: Cut },
  attributes: Record<string, string> = {},
): SVGTextElement {
  // A thousandth of a letter more: room that was computed from the letters must hold them all.
  const most = Math.max(1, Math.floor(room / letter + 0.001));
  const all = { ...place, ...attributes, "data-room": room, "data-cut": cut };
  if (text.length <= most) return svg("text", all, text);
  return svg("text", all, svg("title", {}, text), shortened(text, most - 1, cut));
}

/** Cuts texts within `parts` of the page that are wider than their room in the font of this browser. */
export function fitTexts(parts: Element[]): void {
  const texts = parts.flatMap((part) => [...part.querySelectorAll<SVGTextElement>("text[data-room]")]);
  // All widths are read before any text changes, so that the page is laid out once.
  const cuts = texts.flatMap((text) => {
    const room = Number(text.dataset.room);
    const cut: Cut = text.dataset.cut === "within" ? "within" : "end";
    return text.getComputedTextLength() > room
      ? [{ text, letters: lettersWithin(text, room, cut), cut }]
      : [];
  });
  for (const { text, letters, cut } of cuts) {
    const shown = text.lastChild;
    const words = shown?.textContent ?? "";
    if (text.childElementCount === 0) text.prepend(svg("title", {}, words));
    if (shown) shown.textContent = shortened(words, letters, cut);
  }
}

/** How many letters leave room for the ellipsis beside them, which is about as wide as the widest letter. */
function lettersWithin(text: SVGTextElement, room: number, cut: Cut): number {
  const all = text.getNumberOfChars();
  const widest = parseFloat(getComputedStyle(text).fontSize);
  let [least, most] = [0, all];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (widthOf(text, keptOf(middle, cut)) + widest <= room) least = middle;
    else most = middle - 1;
  }
  return least;
}

interface Kept {
  first: number;
  last: number;
}

/** Of so many letters, how many are the first and how many the last ones of a text. */
function keptOf(letters: number, cut: Cut): Kept {
  const last = cut === "within" ? Math.floor(letters / 2) : 0;
  return { first: letters - last, last };
}

function widthOf(text: SVGTextElement, { first, last }: Kept): number {
  const end = last > 0 ? text.getSubStringLength(text.getNumberOfChars() - last, last) : 0;
  return text.getSubStringLength(0, first) + end;
}

function shortened(text: string, letters: number, cut: Cut): string {
  const { first, last } = keptOf(letters, cut);
  const end = last > 0 ? text.slice(-last).trimStart() : "";
  return `${text.slice(0, first).replace(/…$/, "").trimEnd()}…${end}`;
}
