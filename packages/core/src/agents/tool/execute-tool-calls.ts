import { AsyncQueue } from "../../base/async/async-queue.ts";
import { abortedError } from "../../base/errors/aborted-error.ts";
import { toTroupeError } from "../../base/errors/to-troupe-error.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { EventBus } from "../../base/events/event-bus.ts";
import type { Telemetry } from "../../base/telemetry/telemetry.ts";
import type { ToolCall, ToolCallResult } from "../../base/message/tool-call.ts";
import { runOfContext } from "../run/derive-context.ts";
import type { RunContext } from "../run/run-context.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { CompiledSchema } from "../../schema/compile-schema.ts";
import type { ApprovalHook, ToolHook } from "./approve-call.ts";
import type { BatchCall, RunningBatch, ToolProgress } from "./call-outcome.ts";
import type { MalformedArguments } from "./execute-call.ts";
import { executeCall, formProblem } from "./execute-call.ts";
import { CallSlots, RunningCalls } from "./running-calls.ts";
import type { ToolSet } from "./tool-set.ts";

/**
 * Options of `executeToolCalls`: the tool calls of one model call, the tools, and the run's context, events and
 * hooks.
 */
export type ToolBatchOptions = {
  readonly calls: readonly ToolCall[];
  /** The calls whose arguments are not a JSON object, or cannot be stored. */
  readonly malformedArguments?: readonly MalformedArguments[];
  readonly tools: ToolSet;
  readonly context: RunContext;
  /** The number of the round trip. Together with the run and the index of the call it forms the idempotency key. */
  readonly roundtrip: number;
  readonly eventBus: EventBus<RunEvents>;
  /** The maximum number of calls that run at the same time; the others wait in order. @default no limit */
  readonly maxParallel?: number;
  /** The schema that the result of a tool must fit if the tool ends the run. */
  readonly answerSchema?: CompiledSchema;
  readonly onToolCall?: ToolHook;
  readonly onApproval?: ApprovalHook;
  /** Called with each result as soon as it is available, even if the batch is not read. */
  readonly onResult?: (result: ToolCallResult) => void;
  readonly telemetry?: Telemetry | undefined;
};

/**
 * Executes tool calls in parallel, at most `maxParallel` at a time. Yields each result as soon as it is available.
 * Returns all results in the order of the calls: one for each id, whatever the tool did. Throws immediately if the
 * run's signal aborts; a reader that leaves early also ends the calls. Also yields the progress that tools report; a
 * slow reader receives only the newest progress of each call.
 */
export async function* executeToolCalls(
  batch: ToolBatchOptions,
): AsyncGenerator<ToolCallResult | ToolProgress, ToolCallResult[]> {
  const { signal } = batch.context;
  if (signal.aborted) throw abortedError(signal.reason);
  const running = new RunningCalls();
  const finished = new AsyncQueue<ToolCallResult | ToolProgress>();
  const unread = new UnreadProgress(finished);
  const stop = () => {
    const error = abortedError(signal.reason);
    finished.close(error);
    running.end(() => error);
  };
  signal.addEventListener("abort", stop, { once: true });
  try {
    const calls = batchCalls(batch);
    const { maxParallel = Infinity, onToolCall, onApproval, onResult, answerSchema, telemetry } = batch;
    const slots = new CallSlots(maxParallel, () => running.isOver);
    const onProgress = (progress: ToolProgress) => unread.add(progress);
    const sourcesBefore = runOfContext(batch.context)?.sources.length ?? 0;
    const hooks = { onToolCall, onApproval, onResult, onProgress };
    const shared = { ...batch, ...hooks, answerSchema, running, slots, telemetry, sourcesBefore };
    for (const call of calls) void execute(call, finished, shared);
    const results = new Map<string, ToolCallResult>();
    while (results.size < calls.length) {
      const update = await finished.next();
      if (update === undefined) break;
      if ("progress" in update) unread.take(update);
      else results.set(update.toolCallId, update);
      yield update;
    }
    return calls.flatMap(({ call }) => results.get(call.id) ?? []);
  } finally {
    signal.removeEventListener("abort", stop);
    running.end(() => new TroupeError("cancelled", "The reader of the tool calls left before their end."));
  }
}

/** The progress of tools that the reader of a batch has not read yet: at most one value for each tool call. */
class UnreadProgress {
  readonly #queue: AsyncQueue<ToolCallResult | ToolProgress>;
  readonly #byCall = new Map<string, ToolProgress>();

  constructor(queue: AsyncQueue<ToolCallResult | ToolProgress>) {
    this.#queue = queue;
  }

  add(update: ToolProgress): void {
    const unread = this.#byCall.get(update.toolCallId);
    if (unread !== undefined) {
      unread.progress = update.progress;
      return;
    }
    this.#byCall.set(update.toolCallId, update);
    void this.#queue.push(update);
  }

  take({ toolCallId }: ToolProgress): void {
    this.#byCall.delete(toolCallId);
  }
}

/** Returns the first tool call of each id: a call that the model repeated is executed once. */
function batchCalls({ calls, malformedArguments = [], context, roundtrip }: ToolBatchOptions): BatchCall[] {
  const malformed = new Map(malformedArguments.map((each) => [each.toolCallId, each]));
  const byId = new Map<string, BatchCall>();
  for (const [index, call] of calls.entries()) {
    if (byId.has(call.id)) continue;
    const place = `${roundtrip}/${index}`;
    const idempotencyKey = `${context.runId}/${place}`;
    byId.set(call.id, { call, place, idempotencyKey, formProblem: formProblem(call, malformed.get(call.id)) });
  }
  return [...byId.values()];
}

/** Executes a tool call when a slot is free. */
async function execute(
  call: BatchCall,
  finished: AsyncQueue<ToolCallResult | ToolProgress>,
  batch: RunningBatch,
): Promise<void> {
  const { slots } = batch;
  try {
    const taken = slots.take();
    if (taken !== undefined) await taken;
    const result = await executeCall(call, batch);
    // The result is undefined if the batch ended first. Calls that still wait for a slot are then not started.
    if (result !== undefined) void finished.push(result);
  } catch (error) {
    finished.close(toTroupeError(error));
  } finally {
    slots.give();
  }
}
