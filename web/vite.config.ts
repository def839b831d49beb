import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// `npm run dev` shows the pages of these sources with the data of a running `bin/ade serve`.
const server = process.env.ADE_SERVER ?? "http://127.0.0.1:8000";

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { "~": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    outDir: process.env.ADE_UI_OUT ?? "../packages/server/src/ade/api/static",
    emptyOutDir: true,
    target: "es2022",
    chunkSizeWarningLimit: 600,
  },
  server: { proxy: { "/api": server, "/healthz": server, "/readyz": server } },
});
