import { expect, it } from "vitest";
import { defaultMemoryBytes } from "./default-memory-bytes.ts";

const mebibyte = 1024 * 1024;

it.each([
  [0, 32],
  [128, 32],
  [400, 100],
  [1024, 256],
  [4096, 256],
])("records in memory may take, of a heap limit of %i MiB, %i MiB", (limit, expected) => {
  expect(defaultMemoryBytes({ heap_size_limit: limit * mebibyte })).toBe(expected * mebibyte);
});
