// What surrounded the measurement.
import { type CellValue, tableFigure } from "../model/figure";
import type { PageRecord } from "../model/record";
import { filledLeavesOf, type Leaf } from "../model/tree";
import { formatValue } from "../model/units";
import { registerView } from "../model/view";

registerView({
  section: "environment",
  blocks: (record) =>
    tableFigure({
      id: "environment",
      title: "Environment",
      what: "What the system told when the measurement began; parts that could not be read are left out.",
      columns: ["what", "value"],
      rows: [...runRows(record), ...environmentRows(record)],
      data: () => ({ build: record.build, environment: record.environment }),
    }),
});

function runRows({ created, command, build }: PageRecord): CellValue[][] {
  return [
    ["measured", created],
    ["command", command.join(" ")],
    ["groma", build.version],
    ...(build.compiler ? [["compiler", [build.compiler, build.flags].filter(Boolean).join(" ")]] : []),
    ...Object.entries(build.options).map(([option, value]) => [option, value]),
  ];
}

function environmentRows({ environment }: PageRecord): CellValue[][] {
  return filledLeavesOf(environment)
    .filter(({ path }) => !path.startsWith("command"))
    .map((leaf) => [leaf.path.replaceAll("_", " ").replaceAll(".", " · "), shown(leaf)]);
}

/** Numbers of the environment have their unit in the field's name. */
function shown({ path, value }: Leaf): CellValue {
  if (typeof value !== "number") return value;
  if (path.endsWith("_bytes")) return formatValue(value, "B");
  return /frequency\.(lowest|highest)$/.test(path) ? formatValue(value, "Hz") : value;
}
