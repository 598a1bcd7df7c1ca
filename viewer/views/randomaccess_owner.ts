// Division against prediction of the owner of a word, lookup by lookup.
import { type Block, type CellValue, figure, note, type Series, type Tile } from "../model/figure";
import { quantityLane } from "../model/lanes";
import { measuredLine, pointAt } from "../model/lines";
import { onProcessor } from "../model/placement";
import { ownerFacts, type Way, WAYS, wayWithout } from "../model/randomaccess_owner";
import type { OwnerLookup, PageRecord, Quantity } from "../model/record";
import { sampledTile } from "../model/tiles";
import { formatQuantity, formatValue } from "../model/units";
import { registerView } from "../model/view";
import { count } from "../model/words";

registerView({
  section: "verdict",
  order: 0,
  blocks: (record) => {
    const facts = ownerFacts(record);
    if (!facts) return [];
    return facts.lookups.length > 0
      ? [tilesOf(record, facts.lookups)]
      : [note("No lookup was timed both ways.")];
  },
});

registerView({
  section: "results",
  order: 1,
  blocks: (record) => {
    const lookups = ownerFacts(record)?.lookups ?? [];
    return lookups.length > 0 ? [...ratioFigure(lookups), costFigure(lookups)] : [];
  },
});

function tilesOf(record: PageRecord, lookups: OwnerLookup[]): Block {
  const sorted = withRatio(lookups).sort((a, b) => a.ratio.value - b.ratio.value);
  const [least, most] = [sorted[0], sorted.at(-1)];
  return {
    block: "tiles",
    lead: leadOf(record, lookups),
    tiles: [
      ...(least ? [ratioTile("Division, least", least)] : []),
      ...(most && most !== least ? [ratioTile("Division, most", most)] : []),
    ],
  };
}

function leadOf(record: PageRecord, lookups: OwnerLookup[]): string {
  const ratios = withRatio(lookups).map(({ ratio }) => ratio);
  const slower = ratios.filter(({ low }) => low > 1).length;
  return `Finding the owner of a word${onProcessor(record)}: with ${slower} of ${count(lookups.length, "number")} of parts a division is slower than going without one.`;
}

type Related = OwnerLookup & { ratio: Quantity };

function withRatio(lookups: OwnerLookup[]): Related[] {
  return lookups.filter((lookup): lookup is Related => lookup.ratio !== null);
}

function ratioTile(title: string, lookup: Related): Tile {
  const { parts, divided, predicted, searched, ratio } = lookup;
  const without = predicted ?? searched;
  return sampledTile(title, ratio, [
    `as long as ${wayWithout(lookup)}, with ${parts} parts`,
    `${formatQuantity(divided)} by division`,
    ...(without ? [`${formatQuantity(without)} by ${wayWithout(lookup)}`] : []),
  ]);
}

function costFigure(lookups: OwnerLookup[]): Block {
  const ways = WAYS.map((way, tone) => seriesOf(way, tone, lookups)).filter(
    ({ points }) => points.length > 0,
  );
  return figure({
    id: "randomaccess-lookups",
    title: "Time of a lookup over the number of parts",
    what: "Independent lookups of random words, one way after the other in turns; bars are intervals.",
    method: lookups[0]?.divided.method ?? "",
    drawing: {
      kind: "lines",
      x: { title: "parts of the table", unit: "", scale: "log10" },
      y: { title: "time of a lookup", unit: "s", scale: "linear" },
      series: ways,
      ranges: [],
    },
    table: () => ({
      columns: ["parts", "words of the table", ...WAYS.map(({ name }) => `by ${name}`), "division / without"],
      rows: lookups.map(rowOf),
    }),
    data: () => lookups,
  });
}

function seriesOf({ name, of }: Way, tone: number, lookups: OwnerLookup[]): Series {
  return measuredLine(
    name,
    tone,
    lookups.flatMap((lookup) => pointAt(lookup.parts, of(lookup))),
  );
}

function rowOf(lookup: OwnerLookup): CellValue[] {
  return [lookup.parts, lookup.table_words, ...WAYS.map(({ of }) => of(lookup)), lookup.ratio];
}

function ratioFigure(lookups: OwnerLookup[]): Block[] {
  const related = withRatio(lookups);
  if (related.length === 0) return [];
  return [
    figure({
      id: "randomaccess-owner-ratios",
      title: "Division over going without",
      what:
        "Time by division over time by prediction, or by search where parts are too many for one correction. " +
        "A bar that touches 1 leaves open which is faster.",
      method: related[0]?.ratio.method ?? "",
      drawing: {
        kind: "strips",
        x: { title: "division / without", unit: "ratio", scale: "linear" },
        strips: related.map((lookup) => ({
          name: `${formatValue(lookup.parts, "parts")}, ${wayWithout(lookup)}`,
          lanes: [quantityLane(lookup.ratio, toneOf(lookup))],
        })),
        marks: [1],
        legend: [],
        bars: true,
      },
      table: () => ({
        columns: ["parts", "without division by", "division / without", "rounds"],
        rows: related.map((lookup) => [
          lookup.parts,
          wayWithout(lookup),
          lookup.ratio,
          lookup.ratio.samples?.n ?? null,
        ]),
      }),
      data: () => related.map(({ parts, ratio }) => ({ parts, ratio })),
    }),
  ];
}

function toneOf(lookup: OwnerLookup): number {
  return WAYS.findIndex(({ name }) => name === wayWithout(lookup));
}
