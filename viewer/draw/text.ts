// Text that keeps to its room.
import { svg } from "./dom";

/** Width of a letter over the size of its font, in the widest of the usual fonts. */
const WIDE_LETTER = 0.64;

/** Room that holds so many letters in any of the usual fonts, in pixels as the size of the font. */
export function roomFor(letters: number, fontSize: number): number {
  return letters * fontSize * WIDE_LETTER;
}

/**
 * `text` cut to `room` pixels with letters of about `letter` pixels; what is cut has all of it in its title.
 * Fonts differ: `fitTexts` cuts what is still too long once it is part of the page.
 */
export function cutText(
  text: string,
  { room, letter, ...place }: { x: number; y: number; room: number; letter: number },
  attributes: Record<string, string> = {},
): SVGTextElement {
  // A thousandth of a letter more: room that was computed from the letters must hold them all.
  const most = Math.max(1, Math.floor(room / letter + 0.001));
  const all = { ...place, ...attributes, "data-room": room };
  if (text.length <= most) return svg("text", all, text);
  return svg("text", all, svg("title", {}, text), shortened(text, most - 1));
}

/** Cuts texts within `parts` of the page that are wider than their room in the font of this browser. */
export function fitTexts(parts: Element[]): void {
  const texts = parts.flatMap((part) => [...part.querySelectorAll<SVGTextElement>("text[data-room]")]);
  // All widths are read before any text changes, so that the page is laid out once.
  const cuts = texts.flatMap((text) => {
    const room = Number(text.dataset.room);
    return text.getComputedTextLength() > room ? [{ text, letters: lettersWithin(text, room) }] : [];
  });
  for (const { text, letters } of cuts) {
    const shown = text.lastChild;
    const words = shown?.textContent ?? "";
    if (text.childElementCount === 0) text.prepend(svg("title", {}, words));
    if (shown) shown.textContent = shortened(words, letters);
  }
}

/** How many letters leave room for the ellipsis behind them, which is about as wide as the widest letter. */
function lettersWithin(text: SVGTextElement, room: number): number {
  const all = text.getNumberOfChars();
  const widest = parseFloat(getComputedStyle(text).fontSize);
  let [least, most] = [0, all];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (text.getSubStringLength(0, middle) + widest <= room) least = middle;
    else most = middle - 1;
  }
  return least;
}

function shortened(text: string, letters: number): string {
  return `${text.slice(0, letters).replace(/…$/, "").trimEnd()}…`;
}
