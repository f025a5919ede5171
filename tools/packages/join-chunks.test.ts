import { expect, it } from "vitest";
import { sharedFile } from "./join-chunks.ts";

it.each([
  [["index"], undefined],
  [["kit", "provider"], "wire"],
  [["index", "provider", "runs"], "network"],
  [["index", "vector"], "base"],
  [["runs", "storage", "service"], "base"],
  [["index", "testing"], "agents"],
  [["index", "transport", "testing"], "core"],
  [["runs", "service", "testing"], "durable"],
  [["runs", "service", "transport", "testing"], "callers"],
  [["service", "transport"], "serving"],
])("%j share the file %s", (entryPoints, file) => {
  expect(sharedFile(entryPoints)).toBe(file);
});
