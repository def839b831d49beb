import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { alias: { "~": fileURLToPath(new URL("./src", import.meta.url)) } },
  test: { environment: "node", testTimeout: 60_000, include: ["src/**/*.test.{ts,tsx}"] },
});
