// Which colour stands for what, where nothing can be hidden.
import type { Legend } from "../base/payload";
import { el } from "./dom";

export function legendOf(entries: Legend[]): HTMLElement {
  const shown = entries.map(({ name, tone }) =>
    el("span", { class: "entry" }, el("span", { class: `mark tone-${tone % 7}` }), name),
  );
  return el("div", { class: "legend" }, ...shown);
}
