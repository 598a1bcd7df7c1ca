// What programs over ranks have in common in their records.
import { hpccFacts, inSuiteOrder, testName } from "./hpcc";
import { suiteEntries } from "./hpcc_plan";
import { randomAccessEntries, randomAccessFacts } from "./randomaccess";
import type { Stamp } from "./figure";
import type { Entry } from "./placement";
import type { CheckResult, Launch, PageRecord } from "./record";
import { formatNumber } from "./units";
import { count } from "./words";

export interface NamedCheck extends CheckResult {
  /** The test that it validates. */
  test: string;
}

export interface Run {
  launch: Launch | null;
  plan: Record<string, unknown>;
  /** Sizes and launch, one line each. */
  entries: Entry[];
  /** What the sizes follow from. */
  about: string;
  checks: NamedCheck[];
}

/** Null of records of other kinds. */
export function runOf(record: PageRecord): Run | null {
  return suiteRun(record) ?? randomAccessRun(record);
}

function suiteRun(record: PageRecord): Run | null {
  const facts = hpccFacts(record);
  if (!facts) return null;
  const checks = inSuiteOrder(facts.tests, ({ name }) => name).flatMap(({ name, checks }) =>
    checks.map((check) => ({ ...check, test: testName(name) })),
  );
  const { launch, plan } = facts;
  const about = "Sizes follow from the HPL matrix as the suite defines them.";
  return { launch, plan, entries: suiteEntries(record, facts), about, checks };
}

function randomAccessRun(record: PageRecord): Run | null {
  const facts = randomAccessFacts(record);
  if (!facts) return null;
  const checks = facts.checks.map((check) => ({ ...check, test: "RandomAccess" }));
  const { launch, plan } = facts;
  const about = "One table over all ranks; each update is a xor of a random word of it.";
  return { launch, plan, entries: randomAccessEntries(record, facts), about, checks };
}

export function checkedText({ value }: CheckResult): string {
  return value === null ? "not a number" : formatNumber(value, 4);
}

/** `HPL: residual is 43, at most 16 is allowed.` */
function failureText(check: NamedCheck): string {
  return `${check.test}: ${check.name} is ${checkedText(check)}, at most ${formatNumber(check.limit)} is allowed.`;
}

/** What the checks of a run say: the failed ones, and what that makes of it. */
export function checkedBy(checks: NamedCheck[]): { lines: string[]; failure: Outcome | null } {
  const failed = checks.filter(({ passed }) => !passed);
  const title = `Validation failed: ${failed.length} of ${count(checks.length, "check")}`;
  return { lines: failed.map(failureText), failure: failed.length > 0 ? { outcome: "bad", title } : null };
}

export type Outcome = Pick<Stamp, "outcome" | "title">;

/** That there are warnings, where there are. */
export function warningLine({ warnings }: PageRecord): string[] {
  return warnings.length > 0
    ? [`${count(warnings.length, "warning")} below: read them before using the figures.`]
    : [];
}
