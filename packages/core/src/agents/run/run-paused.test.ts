import { expect, it } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { RunPaused } from "./run-paused.ts";

it.each([
  ["suspended", "The run waits for an answer."],
  ["overtaken", "Another attempt at the run has taken over."],
  ["failed", "The storage of the run cannot be reached."],
  ["released", "The run goes on in another process."],
] as const)("a run that is %s is interrupted, with its cause: %s", (reason, message) => {
  const cause = new Error("The cause.");
  const paused = new RunPaused(reason, cause);
  expect(paused).toBeInstanceOf(TroupeError);
  expect(paused).toMatchObject({ code: "interrupted", reason, message });
  expect(paused.cause).toBe(cause);
  expect(new RunPaused(reason).cause).toBeUndefined();
});
