import { describe, expect, it } from "vitest";
import { RunEnding } from "./run-ending.ts";

/** Makes the end of a run, and keeps its warnings. */
function watch() {
  const warnings: unknown[][] = [];
  return { ending: new RunEnding({ warn: (...warning: unknown[]) => void warnings.push(warning) }), warnings };
}

const error = new Error("broken");

describe.each([
  ["turnNotStored", "turn_not_stored", "The interrupted turn could not be stored."],
  ["answerNotStored", "turn_not_stored", "The turn of an answer could not be stored. The answer is delivered without."],
  ["waitNotStored", "wait_not_stored", "The session could not note that its run waits."],
  ["afterRunFailed", "hook_failed", "The hook afterRun failed."],
  ["onErrorFailed", "hook_failed", "The hook onError failed."],
] as const)("the failure %s at the end of a run", (problem, code, message) => {
  it(`is a warning with the code ${code}`, () => {
    const { ending, warnings } = watch();
    ending.warn(problem, error);

    expect(warnings).toEqual([[code, message, { error }]]);
  });

  it("is the same warning if a function throws, and if its promise rejects", async () => {
    const { ending, warnings } = watch();
    void ending.call(problem, () => {
      throw error;
    });
    await ending.call(problem, async () => await Promise.reject(error));

    expect(warnings).toEqual([
      [code, message, { error }],
      [code, message, { error }],
    ]);
  });

  it("is no warning if the function succeeds", async () => {
    const { ending, warnings } = watch();
    void ending.call(problem, () => undefined);
    await ending.call(problem, async () => await Promise.resolve());

    expect(warnings).toEqual([]);
  });
});
