// Where the names of points have room beside them.

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Labelled {
  /** The middle of the point. */
  x: number;
  y: number;
  width: number;
}

const HEIGHT = 16;
const GAP = 7;
/** From the middle of a point to that of its name, so that the name does not cover the line. */
const BESIDE_LINE = 11;
const MOST_STEPS = 12;

/** One box for each point in which its name covers no other name and no point; `x` and `y` are its upper left. */
export function labelled(points: Labelled[], room: Box): Box[] {
  const taken: Box[] = points.map(({ x, y }) => ({ x: x - 6, y: y - 6, width: 12, height: 12 }));
  return points.map((point) => {
    const box = candidates(point).find(
      (one) => isInside(one, room) && !taken.some((other) => overlap(one, other)),
    );
    const found = box ?? boxBeside(point, -BESIDE_LINE, true);
    taken.push(found);
    return found;
  });
}

/** Right and left of the point, step by step away from the line of its interval. */
function candidates(point: Labelled): Box[] {
  return Array.from({ length: MOST_STEPS }, (_, i) => BESIDE_LINE + i * HEIGHT).flatMap((away) => [
    boxBeside(point, -away, true),
    boxBeside(point, -away, false),
    boxBeside(point, away, true),
    boxBeside(point, away, false),
  ]);
}

function boxBeside({ x, y, width }: Labelled, down: number, right: boolean): Box {
  return { x: right ? x + GAP : x - GAP - width, y: y + down - HEIGHT / 2, width, height: HEIGHT };
}

function isInside(one: Box, room: Box): boolean {
  return (
    one.x >= room.x &&
    one.y >= room.y &&
    one.x + one.width <= room.x + room.width &&
    one.y + one.height <= room.y + room.height
  );
}

function overlap(one: Box, other: Box): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}
