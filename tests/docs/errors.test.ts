import { readFileSync } from "node:fs";
import { errorCodes } from "@troupe/core";
import { expect, it } from "vitest";

it("docs/errors.md lists every error code, once, and no other", () => {
  const page = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8");
  const listed = [...page.matchAll(/^\| `(\w+)` *\| \d{3} *\|/gm)].map((match) => match[1]);

  expect(listed).toHaveLength(errorCodes.length);
  expect(new Set(listed)).toEqual(new Set(errorCodes));
});
