import { readFileSync } from "node:fs";
import { errorCodes } from "@troupe/core";
import { expect, it } from "vitest";
import { httpStatusOfCode } from "@troupe/core/transport";

const page = readFileSync(new URL("../../../../docs/errors.md", import.meta.url), "utf8");

it("docs/errors.md lists every error code with its status", () => {
  const listed = [...page.matchAll(/^\| `(\w+)` *\| (\d{3}) *\|/gm)].map(([, code, status]) => `${code} ${status}`);

  expect(listed.toSorted()).toEqual(errorCodes.map((code) => `${code} ${httpStatusOfCode(code)}`).toSorted());
});
