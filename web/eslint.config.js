import js from "@eslint/js";
import hooks from "eslint-plugin-react-hooks";
import { defineConfig } from "eslint/config";
import typescript from "typescript-eslint";

export default defineConfig(
  { ignores: ["dist", "node_modules", "public", "src/api/*schema.d.ts"] },
  js.configs.recommended,
  typescript.configs.strict,
  hooks.configs.flat.recommended,
  {
    rules: {
      "no-console": "error",
      eqeqeq: "error",
      "@typescript-eslint/no-non-null-assertion": "error",
      // The compiler of React leaves components with these libraries as they are; that is fine.
      "react-hooks/incompatible-library": "off",
    },
  },
  {
    // What does not fit one look is split by meaning: into parts of the page, hooks, and logic that needs no page.
    files: ["src/**/*.{ts,tsx}"],
    ignores: ["src/**/*.test.*"],
    rules: { "max-lines-per-function": ["error", { max: 40, skipBlankLines: true, skipComments: true, IIFEs: true }] },
  },
);
