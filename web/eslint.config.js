import { join } from "node:path";
import eslint from "@eslint/js";
import hooks from "eslint-plugin-react-hooks";
import { defineConfig, globalIgnores } from "eslint/config";
import typescript from "typescript-eslint";

/** What is linted is below it: extensions have parts of the page too. */
const ROOT = join(import.meta.dirname, "..");

export default defineConfig(
  globalIgnores(["**/api/schema.d.ts"]),
  eslint.configs.recommended,
  typescript.configs.strictTypeChecked,
  hooks.configs.flat["recommended-latest"],
  {
    languageOptions: { parserOptions: { project: "web/tsconfig.json", tsconfigRootDir: ROOT } },
    rules: {
      "no-console": "error",
      "max-lines-per-function": ["error", 80],
      "react-hooks/incompatible-library": "off", // the windowed lists; no compiler runs here
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
    },
  },
  { files: ["**/*.js", "**/*.mjs"], extends: [typescript.configs.disableTypeChecked] },
);
