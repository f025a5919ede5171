import { EventBus } from "../../../base/events/event-bus.ts";
import { createLogger } from "../../../base/log/logger.ts";
import type { FinishReason } from "../../../model/model-chunk.ts";
import type { StreamChunk } from "../stream-chunk.ts";
import { RunExecution } from "../run-execution.ts";
import { runEventNames } from "../run-events.ts";
import type { RunEvents } from "../run-events.ts";
import type { AttemptRunOpts } from "../run-options.ts";
import type { RunWork } from "../run-work.ts";
import type { Run } from "../run.ts";
import { testRun } from "./test-run.ts";

/** The chunks of a run's work, or other functions of the work. */
type SmallWork = Partial<RunWork> & { chunks?: () => AsyncGenerator<StreamChunk, FinishReason> };

/** An event on the bus of a run. */
type Heard = { name: keyof RunEvents; data: RunEvents[keyof RunEvents] };

/** Two words, one chunk each. */
export async function* twoWords(): AsyncGenerator<StreamChunk, FinishReason> {
  yield { type: "text", text: "Take " };
  yield { type: "text", text: "it." };
  return "stop";
}

/** The smallest run, with its events, its log lines, and the run itself once it has begun. */
export function smallRun({ chunks = twoWords, ...parts }: SmallWork = {}, opts: AttemptRunOpts = {}) {
  const [heard, lines, runs]: [Heard[], string[], Run[]] = [[], [], []];
  const eventBus = new EventBus<RunEvents>();
  for (const name of runEventNames) eventBus.on(name, (data) => void heard.push({ name, data }));
  const logger = createLogger({ level: "debug", write: (line) => lines.push(line) });
  const run = testRun(opts, { name: "small", input: "Umbrella?", eventBus, logger });
  const begin = async () => {
    runs.push(run);
    return (await parts.begin?.()) ?? chunks();
  };
  const execution = new RunExecution(run, { ...parts, begin });
  return { execution, eventBus, heard, lines, runs, names: () => heard.map(({ name }) => name) };
}

/** Work that waits until `go` is called, and counts its calls. */
export function waiting(): { wait: () => Promise<void>; go: () => void; count: () => number } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let count = 0;
  const wait = async () => {
    count += 1;
    await promise;
  };
  return { wait, go: resolve, count: () => count };
}

/** Waits for everything that needs no timer. */
export async function turnOver(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

/** Reads a stream to its end, and returns its chunks and the error that it threw. */
export async function readUntilEnd(
  chunks: AsyncIterable<StreamChunk>,
): Promise<{ chunks: StreamChunk[]; error: unknown }> {
  const read: StreamChunk[] = [];
  try {
    for await (const chunk of chunks) read.push(chunk);
    return { chunks: read, error: undefined };
  } catch (error) {
    return { chunks: read, error };
  }
}
