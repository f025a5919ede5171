import { expect, it } from "vitest";
import { runEventNames } from "./run-events.ts";

it("the events that a team forwards are those of a run and its tools and model calls, without warnings", () => {
  expect(runEventNames).toEqual([
    "run.start",
    "run.complete",
    "run.error",
    "run.stream.chunk",
    "tool.call",
    "tool.progress",
    "tool.result",
    "model.call",
    "model.result",
  ]);
});
