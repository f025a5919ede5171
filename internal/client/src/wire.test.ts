import { runStatuses } from "@troupe/core/runs";
import { expect, it } from "vitest";
import { isOpenStatus } from "./wire.ts";

it("the statuses of an unfinished run are those before its end", () => {
  expect(runStatuses.filter(isOpenStatus)).toEqual(["queued", "running", "waiting"]);
  expect(isOpenStatus("a status of a later version")).toBe(false);
});
