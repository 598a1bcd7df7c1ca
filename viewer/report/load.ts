// The records from the page's own slot.
import { unpack } from "../model/packing";
import type { Page } from "../model/record";

const SLOT_ID = "groma-records";

/** The content of the page; long content lies there compressed. Throws an Error that says what is wrong. */
export async function loadPage(): Promise<Page> {
  const slot = document.getElementById(SLOT_ID);
  const text = slot?.textContent ?? "";
  if (!text) throw new Error("This page holds no records. Make one with: groma report FILE -o PAGE.html");
  return unpack(
    JSON.parse(slot?.getAttribute("type") === "application/gzip" ? await unzipped(text) : text),
  ) as Page;
}

async function unzipped(base64: string): Promise<string> {
  if (!("DecompressionStream" in globalThis)) {
    throw new Error("This browser is too old to unpack the page: use one of 2023 or later.");
  }
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}
