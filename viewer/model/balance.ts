// Balance after Rabenseifner, "Balance of HPC Systems Based on HPCC Benchmark Results", sections 4 and 5:
// what the whole system does of each test, over what it does of HPL.
import { hpccFacts, headlinesOf, ranksOf } from "./hpcc";
import { oneSample, quotientOf, scaled } from "./quantity";
import type { PageRecord, Quantity } from "./record";

/** Per 1,000 flop of HPL; latency is not related to it. */
export interface Balance {
  name: string;
  what: string;
  quantity: Quantity;
}

interface Ratio {
  name: string;
  /** Id of the headline. */
  of: string;
  what: string;
  unit: string;
  /** Whether the headline is that of one rank, so that all ranks together do so many times it. */
  perRank: boolean;
}

const RATIOS: Ratio[] = [
  { name: "DGEMM", of: "dgemm star", what: "flop of DGEMM", unit: "flop/kflop", perRank: true },
  { name: "FFT", of: "fft mpi", what: "flop of the FFT over all ranks", unit: "flop/kflop", perRank: false },
  { name: "PTRANS", of: "ptrans mpi", what: "bytes that change places", unit: "B/kflop", perRank: false },
  { name: "STREAM copy", of: "copy star", what: "bytes of memory, copied", unit: "B/kflop", perRank: true },
  { name: "STREAM triad", of: "triad star", what: "bytes of memory, triad", unit: "B/kflop", perRank: true },
  {
    name: "Natural ring",
    of: "natural_ring_bandwidth",
    what: "bytes of messages between neighbours",
    unit: "B/kflop",
    perRank: true,
  },
  {
    name: "Random ring",
    of: "random_ring_bandwidth",
    what: "bytes of messages in random order",
    unit: "B/kflop",
    perRank: true,
  },
  {
    name: "RandomAccess",
    of: "random_access mpi",
    what: "updates over all ranks",
    unit: "update/kflop",
    perRank: false,
  },
];

/** The ratios that the record has; none without HPL or where the number of ranks is not known. */
export function balanceOf(record: PageRecord): Balance[] {
  const facts = hpccFacts(record);
  const ranks = facts && ranksOf(facts);
  const found = new Map(headlinesOf(record).map(({ id, quantity }) => [id, quantity]));
  const hpl = found.get("hpl mpi");
  if (!ranks || !hpl) return [];
  return RATIOS.flatMap(({ name, of, what, unit, perRank }) => {
    const part = found.get(of);
    const quantity = part && quotientOf(scaled(part, 1000 * (perRank ? ranks : 1), part.unit), hpl, unit);
    return quantity ? [{ name, what, quantity }] : [];
  });
}

/** One over the latency of random rings: more is better, as in the other columns of the paper's figures. */
export function reciprocalLatency(record: PageRecord): Quantity | null {
  const latency = headlinesOf(record).find(({ id }) => id === "random_ring_latency")?.quantity;
  return latency ? quotientOf(oneOver(latency), latency, "1/s") : null;
}

/** A dimensionless 1 of the confidence of `other`. */
function oneOver(other: Quantity): Quantity {
  return { ...oneSample(1, "", ""), confidence: other.confidence, samples: other.samples };
}
