import { gzipSync } from "node:zlib";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, it } from "vitest";

async function sizeOf(entry: string): Promise<number> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2023",
    platform: "neutral",
    conditions: ["@troupe/source"],
    external: ["react"],
  });
  return gzipSync(outputFiles[0]?.contents ?? new Uint8Array(), { level: 9 }).length;
}

it.each([
  ["the client", "index.ts", 6144],
  ["the hook", "react.ts", 2048],
])("%s is small: minified and compressed at most %s has %i bytes [client.size]", async (_, entry, most) => {
  const bytes = await sizeOf(entry);
  expect(bytes).toBeGreaterThan(200);
  expect(bytes).toBeLessThanOrEqual(most);
});
