import { checkOptionNames } from "../errors/check-option-names.ts";
import { checkCount, checkDuration } from "../errors/check-option.ts";
import { wrongOption } from "../errors/read-options.ts";
import type { EventBus } from "../events/event-bus.ts";
import type { LogLevel } from "../log/log-level.ts";
import { createLogger } from "../log/logger.ts";
import { checkRunLimits } from "../run/run-limits.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { RunLimits } from "../run/run-options.ts";
import { readProperty } from "../util/read-property.ts";
import type { WorkflowStep } from "./workflow-step.ts";

/** Retries of a failed step; the steps before it are not repeated. */
export type RetryPolicy = {
  maxRetries: number;
  /** Milliseconds before the first retry at most; doubled with each retry, with jitter. */
  backoffMs: number;
};

/** Configuration of a workflow. */
export type WorkflowConfig<State extends object> = {
  name: string;
  /** Purpose in one sentence, for cards and listings. */
  description?: string;
  /** First state of each run: plain JSON. An input may set its keys. */
  initialState: State;
  steps: readonly WorkflowStep<NoInfer<State>>[];
  /** @default no retries */
  retryPolicy?: RetryPolicy;
  /** @default a new one */
  eventBus?: EventBus<RunEvents>;
  /** @default "silent" */
  logLevel?: LogLevel;
  /** @default 10 minutes, and no limit of tokens */
  limits?: RunLimits;
};

const longestName = 128;

/** A check for each option. State and steps are read elsewhere. */
const checks: { readonly [Option in keyof Required<WorkflowConfig<object>>]: (value: unknown) => void } = {
  name: (value) => {
    if (typeof value === "string" && value.trim() !== "" && value.length <= longestName) return;
    throw wrongOption("name", `a string of 1 to ${longestName} characters that is not blank`, value);
  },
  description: (value) => {
    if (value === undefined || (typeof value === "string" && value !== "")) return;
    throw wrongOption("description", "a string that is not empty", value);
  },
  initialState: () => {},
  steps: () => {},
  retryPolicy: checkRetryPolicy,
  eventBus: (value) => {
    const isBus = ["on", "off", "emit", "has"].every((method) => typeof readProperty(value, method) === "function");
    if (value !== undefined && !isBus) throw wrongOption("eventBus", "an EventBus", value);
  },
  logLevel: (value) => void createLogger({ level: value as "silent" }),
  limits: (value) => {
    if (value !== undefined) checkRunLimits(value, "limits", {});
  },
};

/** Refuses a wrong configuration, with the option and its expected value in the message. */
export function checkWorkflowConfig(config: unknown): void {
  if (typeof config !== "object" || config === null) {
    throw wrongOption("The configuration of a workflow", "an object", config);
  }
  checkOptionNames(config, Object.keys(checks), "the configuration of a workflow");
  for (const [option, check] of Object.entries(checks)) check(readProperty(config, option));
}

function checkRetryPolicy(value: unknown): void {
  if (value === undefined) return;
  if (typeof value !== "object" || value === null) throw wrongOption("retryPolicy", "an object", value);
  checkOptionNames(value, ["maxRetries", "backoffMs"], "retryPolicy");
  checkCount(readProperty(value, "maxRetries"), "retryPolicy.maxRetries");
  checkDuration(readProperty(value, "backoffMs"), "retryPolicy.backoffMs");
}
