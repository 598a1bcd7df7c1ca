// The types of a page's content are those of Python: scripts/generate.mjs makes them.
export type * from "../dist/payload";
