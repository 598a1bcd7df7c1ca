// Every validation of a run, failed ones first.
import { type Block, type CellValue, tableFigure } from "../model/figure";
import { checkedText, type NamedCheck, runOf } from "../model/run";
import { formatNumber } from "../model/units";
import { registerView } from "../model/view";

registerView({
  section: "results",
  order: 2,
  blocks: (record) => checksFigure(runOf(record)?.checks ?? []),
});

/** Failed ones first. */
function checksFigure(checks: NamedCheck[]): Block[] {
  const ordered = [...checks].sort((a, b) => Number(a.passed) - Number(b.passed));
  return tableFigure({
    id: "checks",
    title: "Checks",
    what: "Each passes where its value is at most its limit. A failed check makes the figures of its test void.",
    columns: ["test", "check", "value", "limit", "outcome"],
    rows: ordered.map(rowOf),
    data: () => checks,
  });
}

function rowOf(check: NamedCheck): CellValue[] {
  const { test, name, limit, passed } = check;
  return [test, name, checkedText(check), formatNumber(limit), passed ? "✓ passed" : "✗ FAILED"];
}
