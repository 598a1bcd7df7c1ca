// Text that keeps to its room.
import { svg } from "./dom";

/** `text` cut to `room` pixels with letters of `letter` pixels; all of it in its title. */
export function cutText(
  text: string,
  { room, letter, ...place }: { x: number; y: number; room: number; letter: number },
  attributes: Record<string, string> = {},
): SVGTextElement {
  // A thousandth of a letter more: room that was computed from the letters must hold them all.
  const most = Math.max(1, Math.floor(room / letter + 0.001));
  const cut = text.length > most ? `${text.slice(0, most - 1)}…` : text;
  return svg("text", { ...place, ...attributes }, svg("title", {}, text), cut);
}
