import { describe, expect, it } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { faultyStorage } from "../../testing/faulty-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Agent } from "../agent/agent.ts";
import type { Journal } from "../journal/journal.ts";
import { cutLogs, performRun } from "../journal/test/takeovers.ts";
import { attemptOpts } from "../run/test/attempt-opts.ts";
import type { WorkflowResult } from "./workflow-result.ts";
import type { WorkflowStep } from "./workflow-step.ts";
import { Workflow } from "./workflow.ts";

type Turn = "kept" | "lost" | "failed";

/** True while the storage of a step fails, and the model of the step if it is not a new one. */
type StepState = { isBroken: boolean; readonly model?: ScriptedModel | undefined };

function modelOf(turn: Turn): ScriptedModel {
  return new ScriptedModel(...(turn === "failed" ? [{ error: new Error("down") }] : [])).respond(() => "Fine.");
}

/** A step whose agent answers. Its turn is stored or lost; or its model fails, and the step is tried again. */
function stepOf(name: string, turn: Turn, state: StepState = { isBroken: turn === "lost" }): WorkflowStep<object> {
  const storage = faultyStorage(new InMemoryStorage(), ({ method, args }) =>
    state.isBroken && /append|insert|set|transaction/.test(method) && JSON.stringify(args).includes('"turns"')
      ? "fail-before"
      : undefined,
  );
  const model = state.model ?? modelOf(turn);
  return { name, agent: new Agent({ name, model, storage, onStorageFailure: "answer" }) };
}

function flowOf(turns: readonly Turn[], isParallel = false, models: readonly ScriptedModel[] = []): Workflow<object> {
  const each = turns.map((turn, index) =>
    stepOf(`step-${index}`, turn, { isBroken: turn === "lost", model: models[index] }),
  );
  const steps = isParallel ? [{ name: "all", parallel: each }, stepOf("last", "kept")] : each;
  return new Workflow<object>({
    name: "flow",
    initialState: {},
    steps: [...steps, { name: "end", run: () => ({}) }],
    retryPolicy: { maxRetries: 1, backoffMs: 0 },
  });
}

const flows: [turns: Turn[], isLost: boolean][] = [
  [["kept", "kept"], false],
  [["lost"], true],
  [["lost", "kept"], true],
  [["kept", "lost"], true],
  [["kept", "lost", "kept"], true],
  [["lost", "lost", "kept"], true],
  [["lost", "failed", "kept"], true],
  [["failed", "kept"], false],
];

describe("a workflow", () => {
  it.each(flows)(
    "a workflow says stored: false if a turn of an agent step is lost, whatever follows: %j, %s",
    async (turns, isLost) => {
      const expected = isLost ? { stored: false } : {};
      for (const isParallel of [false, true]) {
        const { stored, status } = await flowOf(turns, isParallel).run({ sessionId: "s" });
        expect({ status, stored }).toEqual({ status: "completed", ...expected });
        const stream = flowOf(turns, isParallel).stream({ sessionId: "s" });
        const last = (await Array.fromAsync(stream)).at(-1);
        const result = last?.type === "finish" ? last.result : undefined;
        expect(result?.stored).toBe(isLost ? false : undefined);
      }
    },
  );

  it("a workflow has no field stored in its next run, once the storage works again", async () => {
    const state = { isBroken: true };
    const flow = new Workflow<object>({ name: "flow", initialState: {}, steps: [stepOf("say", "lost", state)] });
    const first = await flow.run({ sessionId: "s" });
    state.isBroken = false;
    const second = await flow.run({ sessionId: "s" });

    expect([first.stored, "stored" in second]).toEqual([false, false]);
  });

  it.each(flows)(
    "a workflow says the same in each attempt at a durable run that another process takes over: %j, %s",
    async (turns, isLost) => {
      // A model fails once in all attempts: the log may be cut between its failure and the next try.
      const models = turns.map(modelOf);
      const start = (journal: Journal) => ({
        chunks: (async function* () {})(),
        output: async () => await flowOf(turns, false, models).run(attemptOpts({ sessionId: "s", steps: journal })),
      });
      const storage = new InMemoryStorage();
      const whole = (await performRun(storage, start)) as WorkflowResult;
      expect(whole.stored).toBe(isLost ? false : undefined);
      for (const cut of await cutLogs(storage)) {
        const { stored } = (await performRun(cut, start, () => ({ choice: "again" }))) as WorkflowResult;
        expect(stored).toBe(whole.stored);
      }
    },
  );
});
