// Five experiments on memory that another place owns, first and second touch apart.
import { type Block, type Figure, figure, notMeasured, tableFigure } from "../model/figure";
import { heatMap, type Matrix, matrixData, matrixTable } from "../model/matrix";
import type { Numa, Quantity } from "../model/record";
import { nodeFacts } from "../model/survey";
import { registerView } from "../model/view";
import { idOf } from "../model/words";

interface Experiment {
  label: string;
  what: string;
  cells: Matrix;
}

registerView({
  section: "numa",
  order: 1,
  blocks: (record) => {
    const node = nodeFacts(record);
    if (!node) return [];
    if (!node.numa) return [notMeasured("Access to memory of other places")];
    const numa = node.numa;
    const options = experimentsOf(numa).map((one) => ({
      label: one.label,
      figure: experimentFigure(numa, one),
    }));
    if (options.length === 0) return [notMeasured("Access to memory of other places")];
    return [{ block: "choice", id: "numa", label: "Experiment", options }, ...placeFigure(numa)];
  },
});

/** The experiments that were run, in the order in which they build on each other. */
function experimentsOf(numa: Numa): Experiment[] {
  const all: Experiment[] = [
    {
      label: "Sequential read, first touch",
      what: "Every 16th integer of a block that its owner wrote, read in order for the first time.",
      cells: numa.sequential_first,
    },
    {
      label: "Sequential read, second touch",
      what: "The same block read once more by the same reader.",
      cells: numa.sequential_again,
    },
    {
      label: "Sequential read, block allocated anew",
      what: "As the first touch, with the block released and allocated again before each round.",
      cells: numa.reallocated,
    },
    {
      label: "All at once, in lock step",
      what: "All read at the same time; at step s reader i reads the block of owner i + s.",
      cells: numa.lockstep,
    },
    { label: "Random read", what: "The same elements in random order.", cells: numa.random },
    ...Object.entries(numa.ping_back).map(([step, cells]) => ({
      label: `Ping-back: ${step.replaceAll("_", " ")}`,
      what: "The owner reads, the other reads twice, the owner reads twice: one step of these five.",
      cells,
    })),
  ];
  return all.filter(({ cells }) => cells.some((row) => row.some((cell) => cell !== null)));
}

function placeName({ over }: Numa): string {
  return over === "numa" ? "NUMA node" : "core";
}

function experimentFigure(numa: Numa, { label, what, cells }: Experiment): Figure {
  const labels = numa.places.map(String);
  const place = placeName(numa);
  const names = {
    rowTitle: `owner (${place})`,
    columnTitle: `reader (${place})`,
    rows: labels,
    columns: labels,
  };
  const aside = numa.over === "numa" ? "" : " This machine has one NUMA node, so places are cores.";
  return figure({
    id: idOf("numa", label),
    title: label,
    what: `${what} Time per element touched.${aside}`,
    method: cells.flat().find((cell) => cell !== null)?.method ?? "",
    drawing: heatMap(cells, names),
    table: () => matrixTable(cells, names),
    data: () => matrixData(cells, names),
  });
}

/** What each place took for its pages: every column that was measured. */
function placeFigure(numa: Numa): Block[] {
  const columns = (
    [
      ["allocation", numa.allocation],
      ["first touch", numa.first_touch],
      ["first touch, huge pages", numa.first_touch_huge],
      ["first touch, one at a time", numa.first_touch_alone],
    ] satisfies [string, (Quantity | null)[]][]
  ).filter(([, cells]) => cells.length > 0);
  if (columns.length === 0) return [];
  const place = placeName(numa);
  return tableFigure({
    id: "numa-allocation",
    title: "Allocation and first touch",
    what: `Parallel allocation, then the first write to each page, by ${place}; all places at once unless said.`,
    method: columns.flatMap(([, cells]) => cells).find((cell) => cell !== null)?.method ?? "",
    columns: [place, ...columns.map(([name]) => name)],
    rows: numa.places.map((name, i) => [name, ...columns.map(([, cells]) => cells[i] ?? null)]),
    data: () => ({ places: numa.places, ...Object.fromEntries(columns) }),
  });
}
