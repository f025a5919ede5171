import { setImmediate as nextTurn } from "node:timers/promises";
import { assert, asyncProperty, boolean, integer } from "fast-check";
import { describe, expect, inject, it } from "vitest";
import { scriptedUsage } from "../../testing/scripted-answer.ts";
import { buildWorkflow, never, sometimes, stepPlans } from "./test/random-workflows.ts";
import type { Expected, StepPlan } from "./test/random-workflows.ts";
import type { WorkflowChunk } from "./workflow-result.ts";
import { WorkflowError } from "./workflow-result.ts";
import type { WorkflowResult } from "./workflow-result.ts";

const numRuns = { few: 40, many: 300 }[inject("trials")];

type End = { result: WorkflowResult; step?: unknown };

/** Runs to the end, whatever it is. */
async function endOf(run: Promise<WorkflowResult<object>>): Promise<End> {
  try {
    return { result: (await run) as WorkflowResult };
  } catch (error) {
    if (!(error instanceof WorkflowError)) throw error;
    return { result: error.result, step: error.fields["step"] ?? error.code };
  }
}

async function lastOf(stream: AsyncIterable<WorkflowChunk<object>>): Promise<WorkflowResult<object>> {
  let last: WorkflowChunk<object> | undefined;
  for await (const chunk of stream) last = chunk;
  if (last?.type !== "finish") throw new Error("The stream ended without a result.");
  return last.result;
}

/** The end in the words of what was expected: of several steps that may fail side by side, one is named. */
function seen({ result, step }: End, expected: Expected): unknown {
  if (step === undefined) return { state: result.state };
  return "failing" in expected && expected.failing.some((name) => name === step) ? expected : { failing: [step] };
}

describe("any workflow", () => {
  it("has the state of a plain evaluation, run or streamed, and counts all usage", async () => {
    const check = async (plan: StepPlan[]) => {
      const { flow, model, expected } = buildWorkflow(plan);
      for (const start of [() => flow.run(), () => lastOf(flow.stream())]) {
        const before = model.calls.length;
        const end = await endOf(start());
        const billed = model.calls.slice(before).filter((call) => call.end === "completed");

        expect(seen(end, expected)).toEqual(expected);
        expect(end.result.usage.totalTokens).toBe(billed.length * scriptedUsage.totalTokens);
      }
    };

    await assert(asyncProperty(stepPlans(never), check), { numRuns });
  });

  it("fails with the name of the failed step", async () => {
    const check = async (plan: StepPlan[]) => {
      const { flow, expected } = buildWorkflow(plan);
      const end = await endOf(flow.run());
      const failed = end.result.steps.filter(({ name, status }) => name === end.step && status === "error");

      expect(seen(end, expected)).toEqual(expected);
      expect(failed).toHaveLength(end.step === undefined ? 0 : 1);
    };

    await assert(asyncProperty(stepPlans(sometimes), check), { numRuns });
  });

  it("leaves nothing running when it is aborted at any moment", async () => {
    const check = async (plan: StepPlan[], moment: number, streams: boolean) => {
      const { flow, model } = buildWorkflow(plan);
      model.respond(() => ({ text: "never to the end", chunkDelayMs: 600_000 }));
      const abort = new AbortController();
      const { signal } = abort;
      const run = endOf(streams ? lastOf(flow.stream({ signal })) : flow.run({ signal }));
      for (let turn = 0; turn < moment; turn++) await nextTurn();
      abort.abort();
      const asked = model.calls.length;
      await run;
      for (let turn = 0; turn < 5; turn++) await nextTurn();

      expect(model.calls).toHaveLength(asked);
      // A call that was aborted between two of its chunks may be left before it sees its signal.
      for (const { options, end } of model.calls) {
        expect([options.signal?.aborted, end]).toEqual([true, expect.stringMatching(/^(cancelled|abandoned)$/)]);
      }
    };
    const moments = integer({ min: 0, max: 8 });

    await assert(asyncProperty(stepPlans(never), moments, boolean(), check), { numRuns });
  });
});
