// Views register themselves: adding a figure to the page is adding one file to `views/`.
import type { Block } from "./figure";
import type { PageRecord } from "./record";

export const SECTIONS = {
  comparison: "Comparison",
  verdict: "Verdict",
  results: "Results",
  balance: "Balance",
  messages: "Messages",
  run: "Plan and placement",
  machine: "The machine",
  latency: "Caches and latency",
  memory: "Memory",
  cores: "Core to core",
  numa: "NUMA",
  network: "Network",
  facts: "Facts",
  environment: "Environment",
  method: "Method and validation",
  samples: "Samples",
} as const;

export type SectionId = keyof typeof SECTIONS;

interface Placed {
  /** Also the order among views of one section: file names sort them, `order` wins. */
  section: SectionId;
  order?: number;
}

/** Shows one record; an empty list where it has nothing to say about this kind of record. */
export interface RecordView extends Placed {
  blocks: (record: PageRecord) => Block[];
}

/** Shows several records beside each other. */
export interface ComparisonView extends Placed {
  compare: (records: PageRecord[]) => Block[];
}

export interface Section {
  id: SectionId;
  title: string;
  blocks: Block[];
}

const recordViews: RecordView[] = [];
const comparisonViews: ComparisonView[] = [];

export function registerView(view: RecordView): void {
  recordViews.push(view);
}

export function registerComparison(view: ComparisonView): void {
  comparisonViews.push(view);
}

/** The sections of one record in the order of SECTIONS, without empty ones. */
export function sectionsOf(record: PageRecord): Section[] {
  return gathered(recordViews, (view) => view.blocks(record));
}

export function comparisonOf(records: PageRecord[]): Section[] {
  return records.length < 2 ? [] : gathered(comparisonViews, (view) => view.compare(records));
}

function gathered<V extends Placed>(views: V[], blocksOf: (view: V) => Block[]): Section[] {
  const ordered = [...views].sort((a, b) => (a.order ?? 0) - (b.order ?? 0));
  return (Object.keys(SECTIONS) as SectionId[])
    .map((id) => ({
      id,
      title: SECTIONS[id],
      blocks: ordered.filter(({ section }) => section === id).flatMap(blocksOf),
    }))
    .filter(({ blocks }) => blocks.length > 0);
}
