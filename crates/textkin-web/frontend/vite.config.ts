// Builds the islands into ../assets/dist, flat, with names that change with their content.
import { defineConfig } from "vite";

export default defineConfig({
  base: "/assets/",
  publicDir: false,
  build: {
    outDir: "../assets/dist",
    emptyOutDir: true,
    assetsDir: "",
    manifest: "manifest.json",
    // What others wrote keeps its licence.
    license: { fileName: "licences.txt" },
    target: "es2022",
    // Pages allow no data: scripts and styles; everything is a file of its own.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: "src/main.ts" },
  },
});
