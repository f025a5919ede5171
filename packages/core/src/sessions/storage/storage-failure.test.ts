import { expect, it } from "vitest";
import { errorCodes, TroupeError } from "../../base/errors/troupe-error.ts";
import { isInvalid, isUnavailable } from "./storage-failure.ts";

it.each(errorCodes)("an error %s may be back soon, or is refused again, by its code alone", (code) => {
  const error = new TroupeError(code, "storage_unavailable invalid_value");
  expect(isUnavailable(error)).toBe(code === "storage_unavailable");
  expect(isInvalid(error)).toBe(code === "invalid_value");
});

it.each([
  null,
  undefined,
  "storage_unavailable",
  { code: "storage_unavailable" },
  Object.assign(new Error("x"), { code: "invalid_value" }),
])("%j is no failure of the storage", (thrown) => {
  expect([isUnavailable(thrown), isInvalid(thrown)]).toEqual([false, false]);
});
