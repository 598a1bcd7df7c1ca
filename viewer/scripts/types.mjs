// Generates model/record.ts from model/page.schema.json, which Python exports from its own types:
// the two languages cannot drift apart. With --check it only says whether the file is current.
import { readFile, writeFile } from "node:fs/promises";
import { format } from "prettier";

const SCHEMA = new URL("../model/page.schema.json", import.meta.url);
const TARGET = new URL("../model/record.ts", import.meta.url);
const HEADING = "// Generated from page.schema.json by scripts/types.mjs; change the Python types instead.";

function typeOf(schema) {
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" | ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.type === "array") return arrayOf(schema);
  if (schema.type === "object") return objectOf(schema);
  return (
    { string: "string", integer: "number", number: "number", boolean: "boolean", null: "null" }[
      schema.type
    ] ?? "unknown"
  );
}

function arrayOf(schema) {
  if (schema.prefixItems) return `[${schema.prefixItems.map(typeOf).join(", ")}]`;
  return schema.items ? `(${typeOf(schema.items)})[]` : "unknown[]";
}

function objectOf(schema) {
  return `Record<string, ${schema.additionalProperties ? typeOf(schema.additionalProperties) : "unknown"}>`;
}

function comment(text) {
  return text ? `/** ${text.replaceAll(/\n */g, "\n * ")} */\n` : "";
}

// A field with a default is optional to read in Python, but Python always writes it: none is optional here.
function interfaceOf(name, schema) {
  const fields = Object.entries(schema.properties ?? {}).map(
    ([field, type]) => `  ${field}: ${typeOf(type)};\n`,
  );
  return `${comment(schema.description)}export interface ${name} {\n${fields.join("")}}\n`;
}

async function generated() {
  const schema = JSON.parse(await readFile(SCHEMA, "utf8"));
  const parts = Object.entries(schema.$defs).map(([name, definition]) => interfaceOf(name, definition));
  return format(`${HEADING}\n\n${parts.join("\n")}`, { parser: "typescript", printWidth: 110 });
}

const text = await generated();
if (!process.argv.includes("--check")) {
  await writeFile(TARGET, text);
} else if ((await readFile(TARGET, "utf8").catch(() => "")) !== text) {
  console.error("model/record.ts is not what page.schema.json says: run npm run types");
  process.exitCode = 1;
}
