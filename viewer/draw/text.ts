// Text that keeps to its room.
import { svg } from "./dom";

/** `text` cut to `room` pixels with letters of `letter` pixels; all of it in its title. */
export function cutText(
  text: string,
  { room, letter, ...place }: { x: number; y: number; room: number; letter: number },
  attributes: Record<string, string> = {},
): SVGTextElement {
  const most = Math.max(1, Math.floor(room / letter));
  const cut = text.length > most ? `${text.slice(0, most - 1)}…` : text;
  return svg("text", { ...place, ...attributes }, svg("title", {}, text), cut);
}
