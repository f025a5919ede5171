import { assert, failureOf, inTime } from "./assert.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import type { StreamChunk } from "../../agents/run/stream-chunk.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { RunError } from "../../agents/run/run-output.ts";
import { runEventNames } from "../../agents/run/run-events.ts";
import type { RunEvents } from "../../agents/run/run-events.ts";
import type { Runnable, RunStream } from "../../agents/run/runnable.ts";

/**
 * Subject of `runnableCases`: creates the runnable under test with a scripted model, whose answer is the answer of the
 * run.
 */
export type RunnableSubject = { runnable: (model: ModelProvider) => Runnable | Promise<Runnable> };

/** Reads the stream of a run to its end and returns the chunks. */
export async function readAll(stream: RunStream): Promise<StreamChunk[]> {
  const chunks: StreamChunk[] = [];
  const read = async (): Promise<StreamChunk[]> => {
    for await (const chunk of stream) chunks.push(chunk);
    return chunks;
  };
  return await inTime(read());
}

/** Returns the error of a run, and asserts that it carries a complete output. */
export async function runErrorOf(run: Promise<unknown>): Promise<RunError> {
  const error = await failureOf(inTime(run));
  assert.ok(TroupeError.is(error), `expected a TroupeError, but got ${String(error)}`);
  const { output } = error as RunError;
  assert.equal(output?.status, "error", "the error has an output of status error");
  assert.equal(typeof output.text, "string");
  assert.ok(Array.isArray(output.toolCalls));
  assert.equal(typeof output.usage.totalTokens, "number");
  return error as RunError;
}

/** Collects the events of a runnable from now on, in order, without the events of child runs. */
export function eventsOnBus({ eventBus }: Runnable): { name: keyof RunEvents; data: RunEvents[keyof RunEvents] }[] {
  const events: { name: keyof RunEvents; data: RunEvents[keyof RunEvents] }[] = [];
  const runs = new Set<string>();
  for (const name of runEventNames) {
    eventBus.on(name, (data) => {
      runs.add(data.runId);
      if (!runs.has(data.parentRunId ?? "")) events.push({ name, data });
    });
  }
  return events;
}
