import { readFileSync } from "node:fs";
import { errorCodes } from "@troupe/core";
import { expect, it } from "vitest";
import { statusOf } from "./errors/status-of.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

it("the README lists every error code with its status", () => {
  const rows = [...readme.matchAll(/^\| (\d{3}) +\| ([^|]+)\|/gm)];
  const listed = rows.flatMap(([, status, codes = ""]) =>
    [...codes.matchAll(/`(\w+)`/g)].map(([, code = ""]) => `${code} ${status}`),
  );

  expect(listed.filter((row) => row !== "invalid_request 405").toSorted()).toEqual(
    errorCodes.map((code) => `${code} ${statusOf(code)}`).toSorted(),
  );
});
