import { expect, it } from "vitest";
import { isOpenStatus } from "./wire.ts";

it.each([
  ["queued", true],
  ["running", true],
  ["waiting", true],
  ["completed", false],
  ["error", false],
  ["cancelled", false],
  ["a status of a later version", false],
])("a run that is %s counts as unfinished: %s", (status, isOpen) => {
  expect(isOpenStatus(status)).toBe(isOpen);
});
