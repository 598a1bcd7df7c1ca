// The records in the page.
import { unpack } from "../base/packing";
import type { Page } from "../base/payload";

const ELEMENT_ID = "groma-records";

/** The content of the page; long content lies there compressed. Throws an Error that says what is wrong. */
export async function loadPage(): Promise<Page> {
  const element = document.getElementById(ELEMENT_ID);
  const text = element?.textContent ?? "";
  if (!text) throw new Error("This page holds no records. Make one with: groma report FILE -o PAGE.html");
  return unpack(
    JSON.parse(element?.getAttribute("type") === "application/gzip" ? await unzipped(text) : text),
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
