// Latencies between pairs of ranks: as a matrix, or of a sample by blocks of neighbouring ranks.
import type { Matrix } from "./matrix";
import type { NetworkFacts, Quantity } from "./record";

export interface MeasuredPair {
  ranks: [number, number];
  latency: Quantity;
}

/** Each pair once. Of many ranks a profile has no matrix: then a pair has the latency of its layer. */
export function pairsIn({ pairs, layers }: NetworkFacts): MeasuredPair[] {
  if (!pairs) return [];
  const { ranks, latency: matrix } = pairs;
  if (matrix.length === 0) {
    return layers.flatMap(({ latency, pairs: own }) =>
      latency ? own.map((pair) => ({ ranks: pair, latency })) : [],
    );
  }
  return matrix.flatMap((row, i) =>
    row.flatMap((latency, j): MeasuredPair[] =>
      latency && j > i ? [{ ranks: [ranks[i] ?? i, ranks[j] ?? j], latency }] : [],
    ),
  );
}

/** One row and one column for each rank. */
export function pairMatrix(ranks: number[], pairs: MeasuredPair[]): Matrix {
  return blockMatrix(ranks, pairs, 1);
}

/** Of pairs drawn at random not more than this share of the blocks may stay empty. */
const MOST_EMPTY = 0.1;

export interface RankBlocks {
  /** Ranks of a block: a power of two. */
  size: number;
  labels: string[];
  cells: Matrix;
}

/** As small as the pairs can fill them. */
export function blocksOf(ranks: number[], pairs: MeasuredPair[]): RankBlocks {
  const missing = 1 - (2 * pairs.length) / (ranks.length * (ranks.length - 1));
  let size = 1;
  while (size < ranks.length && missing ** (size * size) > MOST_EMPTY) size *= 2;
  const starts = Array.from({ length: Math.ceil(ranks.length / size) }, (_, i) => i * size);
  return {
    size,
    labels: starts.map((from) => spanOf(ranks.slice(from, from + size))),
    cells: blockMatrix(ranks, pairs, size),
  };
}

function spanOf(ranks: number[]): string {
  const [first, last] = [ranks[0], ranks.at(-1)];
  return first === last ? String(first) : `${first}–${last}`;
}

function blockMatrix(ranks: number[], pairs: MeasuredPair[], size: number): Matrix {
  const blockOf = new Map(ranks.map((rank, i) => [rank, Math.floor(i / size)]));
  const count = Math.ceil(ranks.length / size);
  const found = Array.from({ length: count }, () => Array.from({ length: count }, (): Quantity[] => []));
  for (const { ranks: both, latency } of pairs) {
    const [one = 0, other = 0] = both.map((rank) => blockOf.get(rank));
    found[one]?.[other]?.push(latency);
    if (one !== other) found[other]?.[one]?.push(latency);
  }
  return found.map((row) => row.map(middleOf));
}

/** The one in the middle, the lower of two, so that its interval stays true. */
function middleOf(quantities: Quantity[]): Quantity | null {
  if (quantities.length < 2) return quantities[0] ?? null;
  const sorted = [...quantities].sort((a, b) => a.value - b.value);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}
