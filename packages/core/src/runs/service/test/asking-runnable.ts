import { Agent } from "../../../agents/agent/agent.ts";
import { Journal } from "../../../agents/journal/journal.ts";
import type { StepQuestion } from "../../../agents/run/run-wait.ts";
import { RunPaused } from "../../../agents/run/run-paused.ts";
import type { AttemptRunOpts } from "../../../agents/run/run-options.ts";
import type { RunOutput } from "../../../agents/run/run-output.ts";
import type { Runnable, RunStream } from "../../../agents/run/runnable.ts";
import type { StreamChunk } from "../../../agents/run/stream-chunk.ts";
import type { Json } from "../../../sessions/storage/json.ts";
import { ScriptedModel } from "../../../testing/scripted-model.ts";

/** The work of a runnable for tests: yields chunks, and uses the journal as an agent would. */
export type JournaledWork = (journal: Journal, opts: AttemptRunOpts) => AsyncGenerator<StreamChunk, string>;

/** Makes a runnable `a` whose runs do this work, for tests of what performs it. */
export function runnableOf(work: JournaledWork): Runnable {
  const agent = new Agent({ name: "a", model: new ScriptedModel() });
  const stream = (_input: unknown, opts: AttemptRunOpts = {}): RunStream => {
    const result = Promise.withResolvers<RunOutput>();
    result.promise.catch(() => undefined);
    async function* read(): AsyncGenerator<StreamChunk, void> {
      try {
        const { steps: journal } = opts;
        if (!(journal instanceof Journal)) throw new Error("This runnable needs a journal.");
        const text = yield* work(journal, opts);
        result.resolve(outputOf(text, opts));
      } catch (error) {
        result.reject(error);
        throw error;
      }
    }
    return { runId: opts.runId ?? "", output: result.promise, [Symbol.asyncIterator]: read } as unknown as RunStream;
  };
  return {
    name: "a",
    kind: "agent",
    eventBus: agent.eventBus,
    stream,
    run: () => Promise.reject(new RunPaused("failed")),
  };
}

/** Makes a runnable that asks one question and answers with the answer as JSON. */
export function askingRunnable(wait: StepQuestion = { kind: "approval", about: { toolName: "send" } }): Runnable {
  return runnableOf(async function* (journal) {
    const step = journal.begin("t/0/0");
    try {
      const answer: Json = await journal.wait("t/0/0", wait);
      step.done(answer);
      yield { type: "text", text: JSON.stringify(answer) };
      return JSON.stringify(answer);
    } finally {
      step.leave();
    }
  });
}

function outputOf(text: string, { runId = "", sessionId = "" }: AttemptRunOpts): RunOutput {
  const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };
  return { text, toolCalls: [], usage, runId, sessionId, status: "completed", durationMs: 0 };
}
