// Times of messages over their size, where `--curves` asked for them.
import { type CellValue, chosenFrom, type Figure, figure, type Point, type Series } from "../model/figure";
import { hpccFacts } from "../model/hpcc";
import { MESSAGE_KINDS, messageAxes, type MessageKind, messageTitle } from "../model/messages";
import type { Figure as Measured, HpccFacts } from "../model/record";
import { registerView } from "../model/view";

registerView({
  section: "messages",
  order: 2,
  blocks: (record) => {
    const facts = hpccFacts(record);
    if (!facts) return [];
    const points = curvesIn(facts);
    const states = [...new Set(points.map(({ labels }) => text(labels.buffers)))];
    const options = states.flatMap((state) => {
      const own = points.filter(({ labels }) => text(labels.buffers) === state);
      return MESSAGE_KINDS.map((kind) => ({
        label: `${kind}, ${stateName(state)}`,
        figure: curveFigure(own, state, kind),
      }));
    });
    return chosenFrom("hpcc-curves", "Over message size:", options);
  },
});

function curvesIn({ tests }: HpccFacts): Measured[] {
  return tests.flatMap(({ figures }) =>
    figures.filter(({ labels, series }) => labels.purpose === "curve" && series === "time"),
  );
}

function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

const STATES: Record<string, string> = {
  reused: "buffers reused",
  reused_huge: "buffers reused, on huge pages",
  rotating: "buffers that no cache holds",
};

function stateName(state: string): string {
  return STATES[state] ?? state.replaceAll("_", " ");
}

function curveFigure(points: Measured[], state: string, kind: MessageKind): Figure {
  const names = [...new Set(points.map(curveName))];
  return figure({
    id: `hpcc-curves-${kind}-${state.replaceAll("_", "-")}`,
    title: messageTitle(kind),
    what: `One way, ${stateName(state)}: median over the repetitions, bars are intervals. Rings are per rank.`,
    method: points[0]?.value.method ?? "",
    drawing: {
      kind: "lines",
      ...messageAxes(kind),
      series: names.map((name, tone) => lineOf(name, tone, points, kind)),
      ranges: [],
    },
    table: () => ({
      columns: ["pattern", "bytes", "time", "samples"],
      rows: points.map((one): CellValue[] => [
        curveName(one),
        sizeOf(one),
        one.value,
        one.value.samples?.n ?? null,
      ]),
    }),
    data: () => points,
  });
}

/** `pair 0-1`, `natural ring, sendrecv`. */
function curveName({ labels }: Measured): string {
  const pattern = text(labels.pattern).replaceAll("_", " ");
  if (labels.pattern === "pair") return `pair ${text(labels.client)}–${text(labels.server)}`;
  return `${pattern}, ${text(labels.exchange).replaceAll("_", " ")}`;
}

function sizeOf({ labels }: Measured): number {
  return Number(labels.bytes);
}

function lineOf(name: string, tone: number, all: Measured[], kind: MessageKind): Series {
  const points = all.filter((one) => curveName(one) === name).map((one) => pointOf(one, kind));
  return { name, spread: "bars", tone, dashed: tone >= 7, points: points.sort((a, b) => a.x - b.x) };
}

function pointOf(one: Measured, kind: MessageKind): Point {
  const x = sizeOf(one);
  const { value, low, high } = one.value;
  return kind === "time" ? { x, y: value, low, high } : { x, y: x / value, low: x / high, high: x / low };
}
