import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const folder = join(import.meta.dirname, "programs");

// Each program is written from the words of one section of the specification, and asserts what they say.
describe("the program of a section of the specification", () => {
  it.each(readdirSync(folder).toSorted())("%s runs to its end", async (name) => {
    await expect(import(join(folder, name))).resolves.toBeDefined();
  });
});
