// The instrument: a cross on a staff with four plumb lines.
import { svg } from "../draw/dom";

export function logo(): SVGSVGElement {
  const lines = ["M4 7h24", "M16 3v26", "M5 7v9", "M11 7v6", "M21 7v6", "M27 7v9", "M11 29h10"];
  const weights = [
    [5, 17.5],
    [11, 14.5],
    [21, 14.5],
    [27, 17.5],
  ];
  return svg(
    "svg",
    { class: "logo", viewBox: "0 0 32 32", width: 28, height: 28, "aria-hidden": "true" },
    svg("path", {
      d: lines.join(""),
      fill: "none",
      stroke: "currentColor",
      "stroke-width": 1.8,
      "stroke-linecap": "round",
    }),
    ...weights.map(([cx, cy]) => svg("circle", { cx, cy, r: 1.7, fill: "currentColor" })),
  );
}
