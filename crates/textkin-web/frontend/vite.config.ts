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
    // Collect the licences of bundled packages.
    license: { fileName: "licences.txt" },
    target: "es2022",
    // The policy forbids data: scripts and styles, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: "src/main.ts" },
  },
});
