import js from "@eslint/js";
import tseslint from "typescript-eslint";

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
          message: "Text of a record is never markup: build elements with report/dom.ts.",
        },
      ],
    },
  },
  {
    files: ["model/**/*.ts", "views/**/*.ts"],
    ignores: ["**/*.test.ts", "**/*.fixture.ts"],
    rules: {
      "no-restricted-globals": ["error", "document", "window", "navigator", "fetch"],
      "no-restricted-imports": ["error", { patterns: ["**/report/*", "node:*"] }],
    },
  },
  {
    // Arrows point down: report -> views -> model.
    files: ["model/**/*.ts"],
    ignores: ["**/*.test.ts", "**/*.fixture.ts"],
    rules: { "no-restricted-imports": ["error", { patterns: ["**/views/*", "**/report/*", "node:*"] }] },
  },
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
