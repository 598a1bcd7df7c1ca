// Reading the network part of a profile.
import type { CommunicationLayer, NetworkFacts, PageRecord } from "./record";
import { surveyFacts } from "./survey";

export function networkFacts(record: PageRecord): NetworkFacts | null {
  return surveyFacts(record)?.network ?? null;
}

/** What to call a rank: its host, without the domain, where that is known. */
export function rankName(rank: number, host: string | undefined): string {
  return host ? `${host.replace(/^([a-z][^.]*)\..*/i, "$1")} (${rank})` : String(rank);
}

/** The nearest layer first, those without a latency last. */
export function byLatency(layers: CommunicationLayer[]): CommunicationLayer[] {
  const latencyOf = ({ latency }: CommunicationLayer) => latency?.value ?? Infinity;
  return [...layers].sort((a, b) => latencyOf(a) - latencyOf(b));
}
