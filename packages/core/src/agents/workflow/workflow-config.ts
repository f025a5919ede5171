import {
  integer,
  methods,
  milliseconds,
  nested,
  nonBlankString,
  nonEmptyString,
  optional,
} from "../../base/errors/option-checks.ts";
import { readOptions } from "../../base/errors/read-options.ts";
import type { OptionTable } from "../../base/errors/read-options.ts";
import type { EventBus } from "../../base/events/event-bus.ts";
import { checkLogChoice, logChoiceTable } from "../../base/log/runnable-logger.ts";
import type { LogChoice } from "../../base/log/runnable-logger.ts";
import { runLimitsOption } from "../run/run-limits.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { RunLimits } from "../run/run-options.ts";
import type { WorkflowStep } from "./workflow-step.ts";

/** Retries of a failed step; the steps before it are not repeated. */
export type RetryPolicy = {
  maxRetries: number;
  /** Milliseconds before the first retry at most; doubled with each retry, with jitter. */
  backoffMs: number;
};

/** Constructor options of a `Workflow`: its initial state, its steps, and the policy for retries. */
export type WorkflowConfig<State extends object> = LogChoice & {
  /** The name of the workflow for clients and events. */
  name: string;
  /** Purpose in one sentence, for cards and listings. */
  description?: string | undefined;
  /** The state at the start of each run: plain JSON. An input may set its keys. */
  initialState: State;
  /** The steps, in order. */
  steps: readonly WorkflowStep<NoInfer<State>>[];
  /** Repeats steps that fail. @default no retries */
  retryPolicy?: RetryPolicy | undefined;
  /** The bus that receives the events of the workflow's runs. @default a new one */
  eventBus?: EventBus<RunEvents> | undefined;
  /** Bounds of each run. @default 10 minutes, and no limit of tokens */
  limits?: RunLimits | undefined;
};

const retryPolicyTable = { maxRetries: integer(0), backoffMs: milliseconds } satisfies OptionTable<RetryPolicy>;

/** Checks of the options. State and steps are read elsewhere. */
const optionTable = {
  name: nonBlankString(128),
  description: optional(nonEmptyString),
  initialState: (value) => value as object,
  steps: (value) => value as WorkflowStep<object>[],
  retryPolicy: optional(nested(retryPolicyTable)),
  eventBus: optional(methods<EventBus<RunEvents>>("an EventBus", "on", "off", "emit", "has")),
  ...logChoiceTable,
  limits: optional(runLimitsOption),
} satisfies OptionTable<WorkflowConfig<object>>;

/** Names of other libraries, by the option of a workflow that each stands for. */
const otherNames = {
  state: "initialState",
  stateSchema: "initialState",
  nodes: "steps",
  tasks: "steps",
  retry: "retryPolicy",
  retryConfig: "retryPolicy",
} satisfies Record<string, keyof WorkflowConfig<object>>;

/**
 * Checks the configuration of a workflow but for `initialState` and `steps`, which `StateShape` and `readSteps` check.
 * A wrong or unknown option is `invalid_config` and is named.
 */
export function checkWorkflowConfig(config: unknown): void {
  readOptions(optionTable, config, { owner: "workflow", otherNames });
  checkLogChoice(config as LogChoice);
}
