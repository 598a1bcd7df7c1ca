// Text of records in the order in which it is to be read, whatever letters it has.

/**
 * What `groma.printable` spells: control characters, marks of direction and other format characters, separators of
 * lines. Tabs and ends of lines are blanks here, and joiners are parts of the letters between which they stand.
 */
const HIDDEN = /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const LETTER_FROM_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]$/;

/** Letters that are read from the right, with the signs between them, and the mark that may be there. */
const FROM_RIGHT =
  /([\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+(?:[^\p{L}\p{N}]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+)*)\u200e?/gu;
const END_OF_NAME = "\u200e";

/**
 * `text` with what is hidden spelled, "\u202e", and a mark behind letters that are read from the right: without it a
 * number or a date behind a name would be read as a part of the name. Readable text stays as it is.
 */
export function readable(text: string): string {
  return text.replace(HIDDEN, shown).replace(FROM_RIGHT, `$1${END_OF_NAME}`);
}

function shown(character: string, place: number, text: string): string {
  const endsName = character === END_OF_NAME && LETTER_FROM_RIGHT.test(text.charAt(place - 1));
  return endsName ? character : spelled(character);
}

function spelled(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  if (code.length > 4) return `\\U${code.padStart(8, "0")}`;
  return code.length > 2 ? `\\u${code.padStart(4, "0")}` : `\\x${code.padStart(2, "0")}`;
}
