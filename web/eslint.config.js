import eslint from "@eslint/js";
import hooks from "eslint-plugin-react-hooks";
import { defineConfig, globalIgnores } from "eslint/config";
import typescript from "typescript-eslint";

export default defineConfig(
  globalIgnores(["src/api/schema.d.ts"]),
  eslint.configs.recommended,
  typescript.configs.strictTypeChecked,
  hooks.configs.flat["recommended-latest"],
  {
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      "no-console": "error",
      "max-lines-per-function": ["error", 80],
      "react-hooks/incompatible-library": "off", // the windowed lists; no compiler runs here
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
    },
  },
  { files: ["**/*.js", "**/*.mjs"], extends: [typescript.configs.disableTypeChecked] },
);
