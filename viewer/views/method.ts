// Every quantity of the facts with the way it was obtained and what the system says of it.
import { type CellValue, tableFigure } from "../model/figure";
import { hpccFacts, quantitiesOf } from "../model/hpcc";
import { type Found, quantitiesIn, shown } from "../model/quantity";
import type { PageRecord, Quantity } from "../model/record";
import { ABSENT, formatShare, formatValue } from "../model/units";
import { registerView } from "../model/view";

const COLUMNS = ["quantity", "value", "confidence", "samples", "OS value", "method"];

registerView({
  section: "method",
  blocks: (record) => {
    const facts = hpccFacts(record);
    const groups = grouped(facts ? quantitiesOf(facts) : quantitiesIn(record.facts));
    return tableFigure({
      id: "method",
      title: "All quantities",
      what:
        "Intervals hold the true value with the stated confidence. Entries of one list or matrix with one " +
        "method share a row, which tells their range.",
      columns: COLUMNS,
      rows: groups.map(rowOf),
      data: () => dataOf(record, groups),
    });
  },
});

type Group = [Found, ...Found[]];

/** Quantities whose paths differ only in list indices, of one method and unit. */
function grouped(found: Found[]): Group[] {
  const groups = new Map<string, Group>();
  for (const one of found) {
    const { method, unit } = one.quantity;
    const key = [one.path.replaceAll(/\[\d+\]/g, "[]"), method, unit].join("\n");
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return [...groups.values()].flatMap(splitIfFew);
}

/** Up to four entries of a list are told one by one; matrices are not. */
function splitIfFew(group: Group): Group[] {
  const indices = group[0].path.match(/\[\d+\]/g)?.length ?? 0;
  return group.length <= 4 && indices <= 1 ? group.map((one): Group => [one]) : [group];
}

function rowOf(group: Group): CellValue[] {
  const [{ path, quantity }, ...others] = group;
  if (others.length === 0) return singleRow(path, quantity);
  const all = group.map((one) => one.quantity);
  return [
    `${path.replaceAll(/\[\d+\]/g, "[…]")} (${all.length})`,
    rangeOf(all),
    spanOf(
      all.map(({ confidence }) => confidence),
      formatShare,
    ),
    spanOf(
      all.flatMap(({ samples }) => (samples ? [samples.n] : [])),
      String,
    ),
    ABSENT,
    quantity.method,
  ];
}

const AGREEMENT: Record<string, string> = { true: " ✓ agrees", false: " ≠ differs" };

function singleRow(path: string, quantity: Quantity): CellValue[] {
  const { confidence, samples, os_value, agrees, unit, method } = quantity;
  return [
    path,
    shown(quantity),
    formatShare(confidence),
    samples?.n ?? null,
    os_value === null ? null : `${formatValue(os_value, unit)}${AGREEMENT[String(agrees)] ?? ""}`,
    method,
  ];
}

function rangeOf(all: Quantity[]): string {
  const { unit } = all[0] ?? { unit: "" };
  return spanOf(
    all.map(({ value }) => value),
    (value) => formatValue(value, unit),
  );
}

function spanOf(numbers: number[], show: (value: number) => string): string {
  if (numbers.length === 0) return ABSENT;
  const low = numbers.reduce((a, b) => Math.min(a, b));
  const high = numbers.reduce((a, b) => Math.max(a, b));
  return low === high ? show(low) : `${show(low)} … ${show(high)}`;
}

function dataOf({ name, kind, facts }: PageRecord, groups: Group[]): unknown {
  const count = groups.reduce((sum, group) => sum + group.length, 0);
  return count > 5000 ? { name, kind, quantities: groups.map(rowOf) } : { name, kind, facts };
}
