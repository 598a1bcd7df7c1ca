// Makes what the page and its tests need of Python and git does not hold: dist/payload.ts, the types of its content, and the
// records in ../build/test-data.
import { renameSync, writeFileSync } from "node:fs";
import { claimDist } from "./bundle.mjs";
import { python } from "./python.mjs";

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

const { $defs } = JSON.parse(python("-m", "groma.report.payload").toString());
const types = Object.entries($defs).map(([name, definition]) => interfaceOf(name, definition));
const unfinished = `dist/payload.${process.pid}`;
claimDist();
writeFileSync(unfinished, types.join("\n"));
renameSync(unfinished, "dist/payload.ts");
python("../tools/test_data.py");
