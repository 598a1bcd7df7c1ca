// Elements from plain data. Text of a record is only ever set as text, never parsed as markup.
import { readable } from "../base/direction";

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined>;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return filled(document.createElement(tag), attributes, children);
}

const SVG = "http://www.w3.org/2000/svg";

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

/** A drawing in pixels of its own; `label` describes it to those who do not see it. */
export function drawing(
  { width, height, label }: { width: number; height: number; label: string },
  ...children: Child[]
): SVGSVGElement {
  const shape = { viewBox: `0 0 ${width} ${height}`, width, height };
  return svg("svg", { ...shape, role: "img", "aria-label": label }, ...children);
}

function filled<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined)
      element.setAttribute(name, String(value));
  }
  const shown = children.filter((child): child is Node | string => Boolean(child));
  element.append(...shown.map((child) => (typeof child === "string" ? readable(child) : child)));
  return element;
}

export function button(
  label: string,
  attributes: Attributes,
  pressed: (self: HTMLButtonElement) => void,
): HTMLButtonElement {
  const self = el("button", { type: "button", ...attributes }, label);
  self.addEventListener("click", () => {
    pressed(self);
  });
  return self;
}
