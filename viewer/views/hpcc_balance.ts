// What the system does of each test for 1,000 flop of HPL.
import { balanceOf } from "../model/balance";
import { figure } from "../model/figure";
import { hpccFacts } from "../model/hpcc";
import { isOneSample, shown } from "../model/quantity";
import type { HpccFacts } from "../model/record";
import { formatQuantity, formatValue } from "../model/units";
import { registerView } from "../model/view";

registerView({
  section: "balance",
  blocks: (record) => {
    const facts = hpccFacts(record);
    const ratios = balanceOf(record);
    if (!facts || ratios.length === 0) return [];
    return [
      figure({
        id: "hpcc-balance",
        title: "Balance: each test over HPL",
        what:
          "What all ranks together do of a test in the time in which they do 1,000 flop of HPL; figures of one " +
          `rank are taken times the number of ranks. ${networkText(facts)}`,
        method:
          "Ratios after Rabenseifner, Balance of HPC Systems Based on HPCC Benchmark Results (2005), sections 4 " +
          "and 5; intervals hold every quotient of the two intervals.",
        drawing: {
          kind: "strips",
          x: { title: "per 1,000 flop of HPL", unit: "", scale: "log10" },
          strips: ratios.map(({ name, quantity }) => ({
            name,
            lanes: [{ tone: 0, ...boundsOf(quantity), dots: [], told: toldOf(quantity) }],
          })),
          marks: [],
          legend: [],
        },
        table: () => ({
          columns: ["test", "counts", "ratio to HPL"],
          rows: ratios.map(({ name, what, quantity }) => [name, what, shown(quantity)]),
        }),
        data: () => ratios,
      }),
    ];
  },
});

function boundsOf({ value, low, high }: { value: number; low: number; high: number }) {
  return { value, low, high };
}

function toldOf(quantity: Parameters<typeof formatQuantity>[0]): string {
  if (quantity && isOneSample(quantity)) return `${formatValue(quantity.value, quantity.unit)}, one sample`;
  return formatQuantity(quantity);
}

/** The paper's Table 1 holds inter-node figures: on one machine the rings measure its memory. */
function networkText({ launch }: HpccFacts): string {
  if (launch && !launch.inter_node) {
    return "All ranks lay on one machine: its rings show memory and caches, not a network.";
  }
  return "For random rings between nodes the paper tells 1.8 (IBM Colony) to 220 B/kflop (SGI Altix 3700 Bx2) in 2005.";
}
