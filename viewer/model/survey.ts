// Reading a record of kind "survey" without stumbling over what was not measured.
import { factsOf } from "./facts";
import type { Environment, NodeFacts, PageRecord, Quantity, SurveyFacts } from "./record";

export function surveyFacts(record: PageRecord): SurveyFacts | null {
  return factsOf<SurveyFacts>(record, "survey", "node");
}

export function nodeFacts(record: PageRecord): NodeFacts | null {
  return surveyFacts(record)?.node ?? null;
}

type Loose<T> = { [K in keyof T]?: T[K] extends object ? Loose<T[K]> : T[K] };

/** The environment; parts may be missing, as a record can be made by hand or redacted. */
export function environmentOf(record: PageRecord): Loose<Environment> {
  return record.environment;
}

/** What to call a machine in headings: its processor, else its host, else the record's name. */
export function machineName(record: PageRecord): string {
  const { cpu, host } = environmentOf(record);
  return cpu?.model ?? host ?? record.name;
}

const KINDS: Record<string, string> = { data: "d", instruction: "i" };

/** `L1d`, `L2`. */
export function cacheName({ level, kind }: { level: number; kind: string }): string {
  return `L${level}${KINDS[kind] ?? ""}`;
}

/** The quantity with the largest value, null of none. */
export function largest<T>(items: T[], quantity: (item: T) => Quantity): T | null {
  return items.reduce<T | null>(
    (best, item) => (best === null || quantity(item).value > quantity(best).value ? item : best),
    null,
  );
}
