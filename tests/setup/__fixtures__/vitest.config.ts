import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["hanging.ts"],
    setupFiles: ["../hangs.ts"],
    testTimeout: 1000,
    hookTimeout: 1000,
    provide: { hangsAfterMs: 200 },
  },
});
