import js from "@eslint/js";
import tseslint from "typescript-eslint";

/** Tests, and what they are made with, may use anything. */
const PROOFS = ["**/*.test.ts", "**/*.fixture.ts"];

function mayNotImport(room, ...patterns) {
  const restricted = patterns.map((regex) => ({
    regex,
    message: "Arrows point down: see eslint.config.js.",
  }));
  return {
    files: [`${room}/**/*.ts`],
    ignores: PROOFS,
    rules: { "no-restricted-imports": ["error", { patterns: [...restricted, { group: ["node:*"] }] }] },
  };
}

export default tseslint.config(
  { ignores: ["dist", "node_modules"] },
  js.configs.recommended,
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "no-restricted-syntax": [
        "error",
        {
          selector: "AssignmentExpression > MemberExpression[property.name='innerHTML']",
          message: "Text of a record is never markup: build elements with draw/dom.ts.",
        },
      ],
    },
  },
  {
    files: ["base/**/*.ts", "kinds/**/*.ts"],
    ignores: PROOFS,
    rules: { "no-restricted-globals": ["error", "document", "window", "navigator", "fetch"] },
  },
  // Arrows point down: page -> kinds -> draw -> base. Kinds do not know each other.
  mayNotImport("base", "/(draw|kinds|page)/", "^all:"),
  mayNotImport("draw", "/(kinds|page)/", "^all:"),
  mayNotImport("kinds", "/page/", "^all:", "^\\.\\./(?!\\.\\./)"),
  {
    // node:test returns promises that its own runner awaits.
    files: ["**/*.test.ts"],
    rules: { "@typescript-eslint/no-floating-promises": "off" },
  },
  {
    files: ["scripts/**/*.mjs"],
    languageOptions: {
      globals: {
        AbortController: "readonly",
        TextEncoder: "readonly",
        URL: "readonly",
        console: "readonly",
        process: "readonly",
      },
    },
  },
);
