import type { EventBus } from "../events/event-bus.ts";
import type { ToolCall, ToolCallResult } from "../message/tool-call.ts";
import type { RunContext } from "../run/run-context.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { ToolHook } from "./ask-hook.ts";
import type { RunningCalls } from "./running-calls.ts";
import type { ToolSet } from "./tool-set.ts";

/** What the calls of a batch have in common. */
export type CallScope = {
  readonly tools: ToolSet;
  readonly context: RunContext;
  readonly eventBus: EventBus<RunEvents>;
  readonly running: RunningCalls;
  readonly onToolCall: ToolHook | undefined;
  readonly onResult: ((result: ToolCallResult) => void) | undefined;
};

/** One call of a batch. */
export type CallAtHand = {
  readonly call: ToolCall;
  readonly idempotencyKey: string;
  /** What is wrong with the form of its arguments. */
  readonly formProblem: string | undefined;
};
