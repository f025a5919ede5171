import { createLogger } from "@troupe/core";
import type { Logger } from "@troupe/core";
import {
  anyBoolean,
  apiKeyOption,
  baseUrlOption,
  integer,
  loggerOption,
  nested,
  oneOf,
  optional,
  readOptions,
  satisfying,
  timeoutMilliseconds,
  wrongOption,
} from "@troupe/core/adapter";
import type { OptionCheck, OptionTable } from "@troupe/core/adapter";
import { rulesOf } from "./model-rules.ts";
import type { ModelRules } from "./model-rules.ts";

/** Options of every model that speaks Gemini's format. */
export type ModelOptions = {
  apiKey?: string;
  baseURL?: string;
  idleTimeoutMs?: number;
  rules?: Partial<ModelRules>;
  logger?: Logger;
};

/** Checked options that do not depend on the address of the model. */
export type CommonSettings = { modelId: string; idleTimeoutMs: number; rules: ModelRules; logger: Logger };

const thinkingLevel = oneOf("low", "medium", "high");

const ruleTable = {
  thinking: optional(oneOf("level", "budget", "none")),
  thinkingLevels: optional(checkLevels),
  leastThinkingBudget: optional(integer(0)),
  mostThinkingBudget: optional(integer(1)),
  signatures: optional(anyBoolean),
  formatWithTools: optional(anyBoolean),
} satisfies OptionTable<ModelRules>;

/** Checks of the options that all models and embeddings have. */
export const commonTable = {
  apiKey: optional(apiKeyOption),
  baseURL: optional(baseUrlOption),
  logger: optional(loggerOption),
};

const optionTable = {
  ...commonTable,
  idleTimeoutMs: optional(timeoutMilliseconds, 60_000),
  rules: optional(nested(ruleTable)),
} satisfies OptionTable<ModelOptions>;

/** Check of the id of a model, which becomes a part of an address. */
export const modelIdOption = satisfying<string>(
  "the id of a model",
  (value) => typeof value === "string" && /^[\w@-][\w./:@-]*$/.test(value) && !value.includes(".."),
);

/** Checks the options and adds the defaults. A wrong or unknown one is `invalid_config`. `more` are the checks of other options. */
export function readModelOptions(
  modelId: string,
  options: ModelOptions,
  { vendor, more = {} }: { vendor: string; more?: Readonly<Record<string, OptionCheck<unknown>>> },
): CommonSettings {
  const where = { owner: vendor };
  modelIdOption(modelId, "modelId", where);
  const read = readOptions<typeof optionTable>({ ...optionTable, ...more }, options, where);
  const { idleTimeoutMs, rules, logger = createLogger() } = read;
  return { modelId, idleTimeoutMs, rules: rulesOf(modelId, rules), logger };
}

function checkLevels(...[value, name, where]: Parameters<OptionCheck<unknown>>): ModelRules["thinkingLevels"] {
  if (!Array.isArray(value) || value.length === 0) {
    throw wrongOption({ ...where, name }, "an array of levels that is not empty", value);
  }
  return value.map((level, index) => thinkingLevel(level, `${name}[${index}]`, where));
}
