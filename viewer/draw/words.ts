// Where a line of text may end: not within what is read as one, and within long names where their parts end.
import { readable } from "../base/direction";
import { el } from "./dom";

/** Letters of the longest word that is kept whole: longer ones would not fit into narrow columns. */
const LONGEST_WHOLE = 24;

/** An interval or a number with its per cent, and what follows without a blank; the blank between words; a word. */
const PIECES = /(?:\[[^[\]\s]+,\s[^[\]\s]+\]|[-+±−]?\d[\d.,]*\s%)\S*|\s+|\S+/g;

/** Longer names have places within them where a line may end, those among other words sooner. */
const LONG_NAME = 22;
const LONG_WORD = 12;

/** Made readable as a whole: a name of several words from the right is one name. */
export function wordsOf(text: string): Node[] {
  const whole = readable(text);
  return (whole.match(PIECES) ?? []).flatMap((piece) => {
    if (isWhole(piece)) return [el("span", { class: "whole" }, textOf(piece))];
    const isLong = piece.length > (piece === whole ? LONG_NAME : LONG_WORD);
    return isLong && /\p{L}/u.test(piece) ? breakable(piece) : [textOf(piece)];
  });
}

function textOf(piece: string): Text {
  return document.createTextNode(piece);
}

/** Intervals and shares; and, although they have hyphens: options, dates, ranges and names such as `SX-6`. */
function isWhole(piece: string): boolean {
  if (piece.length > LONGEST_WHOLE) return false;
  return /\S\s\S/.test(piece) || (piece.includes("-") && /^-|\d/.test(piece));
}

/** A long name is broken after its dots, slashes and underscores first. */
function breakable(name: string): Node[] {
  const parts = name.match(/[^._/]*[._/]*/g) ?? [];
  return parts.filter(Boolean).flatMap((part, i) => (i === 0 ? [textOf(part)] : [el("wbr"), textOf(part)]));
}
