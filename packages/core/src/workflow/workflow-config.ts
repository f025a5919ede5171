import type { EventBus } from "../events/event-bus.ts";
import type { LogLevel } from "../log/log-level.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { RunLimits } from "../run/run-options.ts";
import type { WorkflowStep } from "./workflow-step.ts";

/** When and how often a step that failed is repeated; the steps before it are not. */
export type RetryPolicy = {
  maxRetries: number;
  /** The longest first wait; it doubles with each retry, and a part of it is left to chance. */
  backoffMs: number;
};

/** How a workflow is set up. */
export type WorkflowConfig<State extends object> = {
  name: string;
  /** What it is for, in a sentence: shown in cards and listings. */
  description?: string;
  /** What each run starts from: plain JSON. It names every key that an input may set. */
  initialState: State;
  steps: readonly WorkflowStep<NoInfer<State>>[];
  /** @default a step that fails ends the run */
  retryPolicy?: RetryPolicy;
  /** @default one of its own */
  eventBus?: EventBus<RunEvents>;
  /** @default "silent" */
  logLevel?: LogLevel;
  /** @default 10 minutes, and as many tokens as it takes */
  limits?: RunLimits;
};
