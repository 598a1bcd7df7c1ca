// Whether the run counts, and its main values.
import type { Block, Stamp, Tile } from "../model/figure";
import { onProcessor } from "../model/placement";
import { algorithmText, messageBytes, randomAccessFacts, tableText } from "../model/randomaccess";
import type { PageRecord, RandomAccessFacts } from "../model/record";
import { checkedBy, type Outcome, runOf, warningLine } from "../model/run";
import { plainTile, sampledTile } from "../model/tiles";
import { formatNumber, formatShare, formatValue } from "../model/units";
import { registerView } from "../model/view";
import { count } from "../model/words";

registerView({
  section: "verdict",
  order: 0,
  blocks: (record) => {
    const facts = randomAccessFacts(record);
    return facts ? [stampOf(record, facts), tilesOf(record, facts)] : [];
  },
});

function stampOf(record: PageRecord, facts: RandomAccessFacts): Stamp {
  const checks = runOf(record)?.checks ?? [];
  const { lines, failure } = checkedBy(checks);
  const outcome = failure ?? outcomeOf(facts, checks.length);
  return { block: "stamp", ...outcome, lines: [...lines, ...warningLine(record)] };
}

/** Of a run in which no check failed. */
function outcomeOf({ success, errors }: RandomAccessFacts, checks: number): Outcome {
  if (success !== true) {
    return { outcome: "warn", title: "The run did not come to its checks: its table was not verified" };
  }
  return {
    outcome: "good",
    title: `Validation passed: ${count(errors ?? 0, "wrong word")}, all ${count(checks, "check")}`,
  };
}

function tilesOf(record: PageRecord, facts: RandomAccessFacts): Block {
  return {
    block: "tiles",
    lead: leadOf(record, facts),
    tiles: [...rateTiles(facts), ...wordsTile(facts), ...aheadTile(facts), ...sentTile(facts)],
  };
}

function leadOf(record: PageRecord, facts: RandomAccessFacts): string {
  const { launch, mapping_mode, ranks, table_words } = facts;
  const where = launch ? ` on ${count(launch.nodes, "machine")}` : "";
  const parts = [
    `${algorithmText(facts)}${where}`,
    count(ranks, "rank"),
    `mapping mode ${mapping_mode}`,
    `a table of ${tableText(table_words)}`,
  ];
  return `RandomAccess${onProcessor(record)}: ${parts.join("; ")}.`;
}

function rateTiles({ gups, seconds, ranks, updates }: RandomAccessFacts): Tile[] {
  const each = gups && ranks > 1 ? [`${formatNumber(gups.value / ranks)} ${gups.unit} for each rank`] : [];
  const all = updates === null ? [] : [`${updates} updates in all`];
  return [
    ...(gups ? [sampledTile("Updates in a second", gups, each)] : []),
    ...(seconds ? [sampledTile("Time of a repetition", seconds, all)] : []),
  ];
}

function wordsTile({ errors, table_words }: RandomAccessFacts): Tile[] {
  if (errors === null) return [];
  const lines = [`of ${table_words} in the table, over all repetitions`, "0 allowed"];
  return [plainTile("Wrong words", String(errors), "", lines)];
}

function aheadTile({ look_ahead_max: most, look_ahead: allowed, mapping_mode }: RandomAccessFacts): Tile[] {
  if (most === null) return [];
  const holder = mapping_mode === 6 || mapping_mode === 8 ? "node" : "core";
  return [
    plainTile("Look-ahead, most", String(most), `of ${allowed}`, [
      `updates held at once by a ${holder}`,
      most > allowed ? "more than allowed" : `${formatShare(most / allowed)} of what is allowed`,
    ]),
  ];
}

function sentTile({ exchange }: RandomAccessFacts): Tile[] {
  if (!exchange) return [];
  const size = messageBytes(exchange);
  return [
    plainTile("Sent for an update", formatNumber(exchange.bytes), "B", [
      `in ${formatNumber(exchange.messages)} messages`,
      ...(size === null ? [] : [`${formatValue(size, "B")} in a message`]),
      `${formatNumber(exchange.handed)} handed on through shared memory`,
    ]),
  ];
}
