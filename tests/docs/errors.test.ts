import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { errorCodes } from "@troupe/core";
import { expect, it } from "vitest";

const sources = new URL("../../packages/", import.meta.url);

it("docs/errors.md lists every error code, once, and no other", () => {
  const page = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8");
  const listed = [...page.matchAll(/^\| `(\w+)` *\| \d{3} *\|/gm)].map((match) => match[1]);

  expect(listed).toHaveLength(errorCodes.length);
  expect(new Set(listed)).toEqual(new Set(errorCodes));
});

it("docs/warnings.md lists every code of a warning, once, and no other [run.warning-codes]", () => {
  const page = readFileSync(new URL("../../docs/warnings.md", import.meta.url), "utf8");
  const listed = [...page.matchAll(/^\| `(\w+)` *\| [A-Z]/gm)].map((match) => match[1]);
  const files = globSync("*/src/**/*.ts", {
    cwd: fileURLToPath(sources),
    exclude: ["**/*.test.ts", "**/test/**", "core/src/testing/**"],
  });
  const text = files.map((file) => readFileSync(new URL(file, sources), "utf8")).join("\n");
  const told = [
    ...text.matchAll(
      /(?:\bwarn(?:Once)?\(\s*|\bwarnCaller\([^"]*code: |\bemitWarning\(\{ code: |: Problem = \{ code: )"([a-z_]+)"/g,
    ),
  ].map((match) => match[1]);

  expect(new Set(listed)).toEqual(new Set(told));
  expect(listed).toHaveLength(new Set(told).size);
});
