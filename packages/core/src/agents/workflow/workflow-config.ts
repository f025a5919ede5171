import {
  integerOption,
  methodsOption,
  millisecondsOption,
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
import { telemetryOption } from "../../base/telemetry/telemetry.ts";
import type { Telemetry } from "../../base/telemetry/telemetry.ts";
import { runLimitsOption } from "../run/run-limits.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { RunLimits } from "../run/run-options.ts";
import { runHooksOption } from "../agent/hooks.ts";
import type { RunHooks } from "../agent/hooks.ts";
import type { ObjectSchema } from "../../schema/object-schema.ts";
import type { NestedSteps, WorkflowStep } from "./workflow-step.ts";

/** Policy for retries of a failed step. The steps before it are not repeated. */
export type RetryPolicy = {
  maxRetries: number;
  /** The maximum wait before the first retry, in milliseconds. It doubles with each retry and is randomised. */
  backoffMs: number;
};

/** Constructor options of a `Workflow`: its initial state, its steps, and its retry policy. */
export type WorkflowConfig<State extends object> = LogChoice & {
  /** The name of the workflow for clients and events. */
  name: string;
  /** The workflow's purpose in one sentence, for cards and listings. */
  description?: string | undefined;
  /** The state at the start of each run: plain JSON. A run's input may set its keys. */
  initialState: State;
  /**
   * The schema of an input object, which is checked before it is merged over the initial state. A run without input is
   * checked as `{}`; a string is not checked. Clients read the schema: the page makes a form from it, with the titles,
   * descriptions, choices and defaults of its properties. Its check must be synchronous.
   * @default any input that fits the initial state
   */
  inputSchema?: ObjectSchema | undefined;
  /** The steps of the workflow, in order: an array, or a function that adds them to a flow. */
  steps: NestedSteps<NoInfer<State>>;
  /** The policy for repeating steps that fail. @default no retries */
  retryPolicy?: RetryPolicy | undefined;
  /** The bus that receives the events of the workflow's runs. @default a new bus */
  eventBus?: EventBus<RunEvents> | undefined;
  /**
   * Records traces and metrics of the runs, such as `createTelemetry()` of `@troupe/otel`. @default nothing is recorded
   */
  telemetry?: Telemetry | undefined;
  /** Limits of each run. @default 10 minutes, and no limit on tokens */
  limits?: RunLimits | undefined;
  /**
   * Functions of the application that are called in each run: before and after it, and on failure. `beforeRun` gets the
   * run's text, or its input object as JSON; a returned value becomes the run's text. Hooks for tool calls are options
   * of the agents.
   */
  hooks?: RunHooks | undefined;
};

const retryPolicyTable = {
  maxRetries: integerOption(0),
  backoffMs: millisecondsOption,
} satisfies OptionTable<RetryPolicy>;

/** Checks of a workflow's options, except `initialState`, `inputSchema` and `steps`, which are checked elsewhere. */
const optionTable = {
  name: nonBlankString(128),
  description: optional(nonEmptyString),
  initialState: (value) => value as object,
  inputSchema: (value) => value as ObjectSchema | undefined,
  steps: (value) => value as WorkflowStep<object>[],
  retryPolicy: optional(nested(retryPolicyTable)),
  eventBus: optional(methodsOption<EventBus<RunEvents>>("an EventBus", "on", "off", "emit", "has")),
  ...logChoiceTable,
  telemetry: optional(telemetryOption),
  limits: optional(runLimitsOption),
  hooks: optional(runHooksOption),
} satisfies OptionTable<WorkflowConfig<object>>;

/** Option names of other libraries, each with the workflow option that it corresponds to. */
const otherNames = {
  state: "initialState",
  stateSchema: "initialState",
  inputs: "inputSchema",
  nodes: "steps",
  tasks: "steps",
  retry: "retryPolicy",
  retryConfig: "retryPolicy",
} satisfies Record<string, keyof WorkflowConfig<object>>;

/**
 * Checks the configuration of a workflow, except `initialState`, `inputSchema` and `steps`, which `StateShape`,
 * `InputCheck` and `readSteps` check. Throws `invalid_config`, which names the wrong or unknown option.
 */
export function checkWorkflowConfig(config: unknown): void {
  readOptions(optionTable, config, { owner: "workflow", otherNames });
  checkLogChoice(config as LogChoice);
}
