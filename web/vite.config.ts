import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

// `npm run dev` shows the pages of these sources with the data of a running `bin/ade serve`.
const server = process.env.ADE_SERVER ?? "http://127.0.0.1:8000";

const TEXT = /\.(js|css|svg)$/;

/** Compress once what the server would else compress for each visitor, or send as it is. */
function compressed(): Plugin {
  return {
    name: "compressed",
    apply: "build",
    writeBundle({ dir = "" }) {
      const folder = join(dir, "assets");
      for (const name of readdirSync(folder).filter((one) => TEXT.test(one))) {
        const content = readFileSync(join(folder, name));
        const options = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
        writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content, options));
        writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  plugins: [react(), compressed()],
  resolve: { alias: { "~": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    outDir: process.env.ADE_UI_OUT ?? "../packages/server/src/ade/api/static",
    emptyOutDir: true,
    target: "es2022",
    chunkSizeWarningLimit: 600,
  },
  server: { proxy: { "/api": server, "/healthz": server, "/readyz": server } },
});
