// Which strategies were exact, what threads gain that do not synchronise, and what they get wrong.
import type { Block, Stamp, Tile } from "../model/figure";
import { onProcessor } from "../model/placement";
import { tableText } from "../model/randomaccess";
import {
  ALLOWED,
  comparedText,
  errorFacts,
  exactOnes,
  fastest,
  inMillionths,
  isBroken,
  meanText,
  named,
  RATE_UNIT,
  rateText,
} from "../model/randomaccess_errors";
import type { ErrorFacts, PageRecord, Strategy } from "../model/record";
import { plainTile, sampledTile } from "../model/tiles";
import { formatNumber, formatPoint, formatQuantity, formatShare } from "../model/units";
import { registerView } from "../model/view";
import { count, listed } from "../model/words";

registerView({
  section: "verdict",
  order: 0,
  blocks: (record) => {
    const facts = errorFacts(record);
    return facts ? [stampOf(facts), tilesOf(record, facts)] : [];
  },
});

function stampOf(facts: ErrorFacts): Stamp {
  const broken = facts.strategies.filter(isBroken);
  if (broken.length > 0) {
    const title = `Validation failed: ${listed(broken.map(({ name }) => name))} must not lose an update and did`;
    return { block: "stamp", outcome: "bad", title, lines: broken.map(brokenLine) };
  }
  return {
    block: "stamp",
    outcome: "good",
    title: exactTitle(facts),
    lines: [...looseLine(facts), ...exactLine(facts)],
  };
}

function brokenLine({ name, error_rate: { wrong_words, wrong_runs, runs } }: Strategy): string {
  return `${name}: ${count(wrong_words, "wrong word")} in ${wrong_runs} of ${count(runs, "run")}, 0 allowed.`;
}

function exactTitle({ strategies }: ErrorFacts): string {
  const exact = strategies.filter((one) => one.exact);
  if (exact.length === 0) return "No strategy was run that has to be exact";
  const runs = exact.reduce((sum, { error_rate }) => sum + error_rate.runs, 0);
  return `Exact in all of ${count(runs, "run")}: ${listed(exact.map(({ name }) => name))}`;
}

/** What threads that do not synchronise get wrong, and what it gains. */
function looseLine(facts: ErrorFacts): string[] {
  const loose = named(facts, "unsynchronised");
  if (!loose) return [];
  const { wrong_runs, runs, max } = loose.error_rate;
  const wrong =
    wrong_runs === 0
      ? `left no wrong word in ${count(runs, "run")}`
      : `left wrong words in ${wrong_runs} of ${count(runs, "run")}, ${meanText(loose)} (largest ${rateText(max)}; the rules allow ${rateText(ALLOWED)})`;
  return [`unsynchronised ${wrong}${gainText(loose)}.`];
}

function gainText({ to_serial }: Strategy): string {
  return to_serial ? `, and was ${comparedText(to_serial, "one thread")}` : "";
}

function exactLine(facts: ErrorFacts): string[] {
  const best = fastest(exactOnes(facts));
  if (!best) return [];
  const price = best.to_unsynchronised
    ? `: ${comparedText(best.to_unsynchronised, "threads that do not synchronise")}`
    : "";
  return [`Of those that share the table and are exact, ${best.name} was the fastest${price}.`];
}

function tilesOf(record: PageRecord, facts: ErrorFacts): Block {
  const loose = named(facts, "unsynchronised");
  const best = fastest(exactOnes(facts));
  const serial = named(facts, "serial");
  return {
    block: "tiles",
    lead: leadOf(record, facts),
    tiles: [
      ...(loose ? [errorTile(loose), rateTile("Unsynchronised", loose)] : []),
      ...(best ? [rateTile(`Exact: ${best.name}`, best)] : []),
      ...(serial ? [rateTile("One thread", serial)] : []),
    ],
  };
}

function leadOf(record: PageRecord, { table_words, updates, threads }: ErrorFacts): string {
  const times = formatNumber(updates / table_words);
  return `${count(threads, "thread")}${onProcessor(record)}, one table of ${tableText(table_words)}; ${updates} updates in a run (${times} for each word).`;
}

function errorTile({ error_rate }: Strategy): Tile {
  const { mean, standard_deviation, relative, runs, wrong_runs } = error_rate;
  const spread =
    standard_deviation === null
      ? "one run"
      : `± ${formatNumber(inMillionths(standard_deviation))} ${RATE_UNIT}, standard deviation`;
  return {
    ...plainTile("Wrong words, unsynchronised", formatNumber(inMillionths(mean)), RATE_UNIT, [
      `of the table's words; mean of ${count(runs, "run")}`,
      `${wrong_runs} of them with wrong words`,
      ...(relative === null ? [] : [`deviation is ${formatShare(relative)} of the mean`]),
    ]),
    interval: spread,
  };
}

function rateTile(title: string, one: Strategy): Tile {
  const { gups, to_serial, to_unsynchronised, threads } = one;
  return sampledTile(title, gups, [
    count(threads, "thread"),
    ...(to_serial && one.name !== "serial" ? [`${formatQuantity(to_serial)} of one thread`] : []),
    ...(to_unsynchronised && one.exact ? [`${formatPoint(to_unsynchronised)} of unsynchronised`] : []),
  ]);
}
