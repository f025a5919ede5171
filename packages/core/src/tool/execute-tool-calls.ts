import { AsyncQueue } from "../async/async-queue.ts";
import { abortedError } from "../errors/aborted-error.ts";
import { toTroupeError } from "../errors/to-troupe-error.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import type { EventBus } from "../events/event-bus.ts";
import type { ToolCall, ToolCallResult } from "../message/tool-call.ts";
import type { RunContext } from "../run/run-context.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { ToolHook } from "./ask-hook.ts";
import { formProblem } from "./check-arguments.ts";
import type { CallAtHand, CallScope } from "./call-scope.ts";
import { executeCall } from "./execute-call.ts";
import { RunningCalls } from "./running-calls.ts";
import type { ToolSet } from "./tool-set.ts";

/** The calls that a model made in one turn, and all that it takes to answer them. */
export type ToolBatch = {
  readonly calls: readonly ToolCall[];
  /** Of calls whose arguments were no JSON object: what the model wrote. */
  readonly malformedArguments?: readonly { toolCallId: string; text: string }[];
  readonly tools: ToolSet;
  readonly context: RunContext;
  /** Which round trip of the run this is; with the run and the call's place it makes the idempotency key. */
  readonly roundtrip: number;
  readonly eventBus: EventBus<RunEvents>;
  readonly onToolCall?: ToolHook;
  /** Hears of each result when it is there, also of those that no reader comes to. */
  readonly onResult?: (result: ToolCallResult) => void;
};

/**
 * Executes the calls side by side. Yields each result when it is there and returns all in the order of the calls: one for
 * each id, whatever the tool did. When the run's signal aborts, it throws at once and waits for nobody; a reader who leaves
 * early ends the calls too.
 */
export async function* executeToolCalls(batch: ToolBatch): AsyncGenerator<ToolCallResult, ToolCallResult[]> {
  const { signal } = batch.context;
  if (signal.aborted) throw abortedError(signal.reason);
  const running = new RunningCalls();
  const finished = new AsyncQueue<ToolCallResult>();
  const stop = () => {
    const error = abortedError(signal.reason);
    finished.close(error);
    running.end(() => error);
  };
  signal.addEventListener("abort", stop, { once: true });
  try {
    const calls = callsAtHand(batch);
    start(calls, finished, { ...batch, onToolCall: batch.onToolCall, onResult: batch.onResult, running });
    const results = new Map<string, ToolCallResult>();
    while (results.size < calls.length) {
      const result = await finished.next();
      if (result === undefined) break;
      results.set(result.toolCallId, result);
      yield result;
    }
    return calls.flatMap(({ call }) => results.get(call.id) ?? []);
  } finally {
    signal.removeEventListener("abort", stop);
    running.end(() => new TroupeError("cancelled", "Nobody waits for this call any more."));
  }
}

/** The first call with each id: what the model named twice is done once. */
function callsAtHand({ calls, malformedArguments = [], context, roundtrip }: ToolBatch): CallAtHand[] {
  const malformed = new Map(malformedArguments.map(({ toolCallId, text }) => [toolCallId, text]));
  const byId = new Map<string, CallAtHand>();
  for (const [index, call] of calls.entries()) {
    if (byId.has(call.id)) continue;
    const idempotencyKey = `${context.runId}/${roundtrip}/${index}`;
    byId.set(call.id, { call, idempotencyKey, formProblem: formProblem(call, malformed.get(call.id)) });
  }
  return [...byId.values()];
}

function start(calls: readonly CallAtHand[], finished: AsyncQueue<ToolCallResult>, scope: CallScope): void {
  for (const at of calls) {
    void executeCall(at, scope).then(
      (result) => result && finished.push(result),
      (error: unknown) => finished.close(toTroupeError(error)),
    );
  }
}
