// Text of records in the order in which it is to be read, whatever letters it has.

/** Marks that turn the order of all that follows, and control characters, which have no shape. */
// eslint-disable-next-line no-control-regex
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Letters that are read from the right, with the signs between them. */
const FROM_RIGHT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+(?:[^\p{L}\p{N}]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+)*/gu;
const END_OF_NAME = "\u200e";

/**
 * `text` with what is hidden spelled, "\u202e", and a mark behind letters that are read from the right: without it a
 * number or a date behind a name would be read as a part of the name.
 */
export function readable(text: string): string {
  return text.replace(HIDDEN, spelled).replace(FROM_RIGHT, (name) => name + END_OF_NAME);
}

function spelled(character: string): string {
  const code = character.charCodeAt(0).toString(16);
  return code.length > 2 ? `\\u${code.padStart(4, "0")}` : `\\x${code.padStart(2, "0")}`;
}
