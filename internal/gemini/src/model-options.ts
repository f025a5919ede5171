import { createLogger } from "@troupe/core";
import type { Logger } from "@troupe/core";
import { checkCount, checkDuration, wrongOption } from "@troupe/core/adapter";
import { checkFields, checkModelId, commonChecks, oneOf } from "./check-options.ts";
import type { Checks } from "./check-options.ts";
import { rulesOf } from "./model-rules.ts";
import type { ModelRules } from "./model-rules.ts";

/** What every model that speaks Gemini's format can be told. */
export type ModelOptions = {
  apiKey?: string;
  baseURL?: string;
  idleTimeoutMs?: number;
  rules?: Partial<ModelRules>;
  logger?: Logger;
};

/** The options that do not depend on where the model is reached, complete. */
export type CommonSettings = { modelId: string; idleTimeoutMs: number; rules: ModelRules; logger: Logger };

/** Checks the options and fills in what they leave open. A wrong or unknown one is `invalid_config`. */
export function readModelOptions(
  modelId: string,
  options: ModelOptions,
  { vendor, checks = {} }: { vendor: string; checks?: Checks },
): CommonSettings {
  checkModelId(modelId, "modelId");
  checkFields(options, { ...optionChecks, ...checks }, `options of ${vendor}`);
  return {
    modelId,
    idleTimeoutMs: options.idleTimeoutMs ?? 60_000,
    rules: rulesOf(modelId, options.rules),
    logger: options.logger ?? createLogger(),
  };
}

const optionChecks: Checks<keyof ModelOptions> = {
  ...commonChecks,
  idleTimeoutMs: (value) => checkDuration(checkCount(value, "idleTimeoutMs", 1), "idleTimeoutMs"),
  rules: (value) => checkFields(value, ruleChecks, "rules"),
};

const ruleChecks: Checks<keyof ModelRules> = {
  thinking: oneOf("rules.thinking", ["level", "budget", "none"]),
  thinkingLevels: checkLevels,
  leastThinkingBudget: (value) => checkCount(value, "rules.leastThinkingBudget", 0),
  mostThinkingBudget: (value) => checkCount(value, "rules.mostThinkingBudget", 1),
  signatures: oneOf("rules.signatures", [true, false]),
  formatWithTools: oneOf("rules.formatWithTools", [true, false]),
};

function checkLevels(value: unknown): void {
  const check = oneOf("rules.thinkingLevels", ["low", "medium", "high"]);
  if (!Array.isArray(value) || value.length === 0) throw wrongOption("rules.thinkingLevels", "a list of levels", value);
  for (const level of value as unknown[]) check(level);
}
