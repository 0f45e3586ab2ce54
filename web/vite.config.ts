/// <reference types="vitest/config" />
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** Where `npm run dev` finds the service. */
const SERVICE = process.env["AGENTLOG_URL"] ?? "http://127.0.0.1:8080";

/** Best but one: the last step takes eight times as long for 2 % less. */
const QUALITY = { [constants.BROTLI_PARAM_QUALITY]: 9 };

/** Writes a Brotli form beside each text file: the service sends it as it is. */
function compressed(): Plugin {
  return {
    name: "compressed",
    apply: "build",
    generateBundle: {
      order: "post", // when Vite has filled in what it preloads
      handler(_options, bundle) {
        for (const [fileName, file] of Object.entries(bundle)) {
          const source = file.type === "chunk" ? file.code : file.source;
          this.emitFile({
            type: "asset",
            fileName: `${fileName}.br`,
            source: brotliCompressSync(source, { params: QUALITY }),
          });
        }
      },
    },
  };
}

/** Parts of the page stand in the folders of extensions too: they import it as `#page`. */
const SRC = fileURLToPath(new URL("src", import.meta.url));

export default defineConfig({
  resolve: {
    alias: { "#page": SRC, "#visible": `${SRC}/parts/visible` },
    dedupe: ["@tanstack/react-query", "@tanstack/react-router", "react", "react-dom"],
  },
  plugins: [react({ jsxImportSource: "#visible" }), compressed()],
  build: {
    outDir: "../api/page",
    emptyOutDir: true,
    target: "es2024",
    assetsInlineLimit: 0, // the policy of the page allows no data: but for images
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2_500, // the tables of the tokenizer, which are loaded when asked for
  },
  test: { dir: "..", include: ["web/src/**/*.test.ts", "extensions/**/web/*.test.ts"] },
  server: {
    fs: { allow: [".."] },
    proxy: Object.fromEntries(["/v1", "/docs", "/openapi.json"].map((path) => [path, SERVICE])),
  },
});
