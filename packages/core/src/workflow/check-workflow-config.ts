import { checkOptionNames } from "../errors/check-option-names.ts";
import { checkCount, checkDuration } from "../errors/check-option.ts";
import { wrongOption } from "../errors/read-options.ts";
import { createLogger } from "../log/logger.ts";
import { checkRunLimits } from "../run/check-run-limits.ts";
import { readProperty } from "../util/read-property.ts";
import type { WorkflowConfig } from "./workflow-config.ts";

const longestName = 128;

/** The options that are checked by their values alone; state and steps are read on their own. */
const checks: { readonly [Option in keyof Required<WorkflowConfig<object>>]: (value: unknown) => void } = {
  name: (value) => {
    if (typeof value === "string" && value.trim() !== "" && value.length <= longestName) return;
    throw wrongOption("name", `a text of 1 to ${longestName} characters that is not blank`, value);
  },
  description: (value) => {
    if (value === undefined || (typeof value === "string" && value !== "")) return;
    throw wrongOption("description", "a text that is not empty", value);
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
    if (value !== undefined) checkRunLimits(value);
  },
};

/** Refuses what a workflow cannot work with, with a sentence that names the option and what it takes. */
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
