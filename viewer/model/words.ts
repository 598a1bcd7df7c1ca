// Words that many views need.

/** `1 rank`, `2 ranks`. */
export function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : "s"}`;
}

/** Words of a record, as `ranks far apart may be near each other`, with capital and full stop. */
export function sentence(words: string): string {
  const ended = /[.!?]$/.test(words) ? words : `${words}.`;
  return /^[a-z]+[ ,]/.test(ended) ? ended.charAt(0).toUpperCase() + ended.slice(1) : ended;
}

/** A name for a figure that can stand in a link: `ranks-stream-triad`. */
export function idOf(...names: string[]): string {
  return names
    .join(" ")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(names: string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}
