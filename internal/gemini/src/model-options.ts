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

/** The options that users pass to both `google` and `vertex`, before `readModelOptions` checks them. */
export type GeminiOptions = {
  apiKey?: string | (() => string | Promise<string>) | undefined;
  baseURL?: string | undefined;
  idleTimeoutMs?: number | undefined;
  rules?: Partial<ModelRules> | undefined;
  logger?: Logger | undefined;
};

/**
 * The checked options and defaults that `readModelOptions` returns: all but `apiKey` and `baseURL`, which `google` and
 * `vertex` use in different ways.
 */
export type ProviderSettings = { modelId: string; idleTimeoutMs: number; rules: ModelRules; logger: Logger };

const thinkingLevel = oneOf("minimal", "low", "medium", "high");

const ruleTable = {
  thinking: optional(oneOf("level", "budget", "none")),
  thinkingLevels: optional(checkLevels),
  leastThinkingBudget: optional(integer(0)),
  mostThinkingBudget: optional(integer(1)),
  signatures: optional(anyBoolean),
  formatWithTools: optional(anyBoolean),
  mediaInResults: optional(anyBoolean),
} satisfies OptionTable<ModelRules>;

/** Checks of the options that Google's models and embeddings share: `apiKey`, `baseURL` and `logger`. */
export const commonTable = {
  apiKey: optional(apiKeyOption),
  baseURL: optional(baseUrlOption),
  logger: optional(loggerOption),
};

const optionTable = {
  ...commonTable,
  idleTimeoutMs: optional(timeoutMilliseconds, 60_000),
  rules: optional(nested(ruleTable)),
} satisfies OptionTable<GeminiOptions>;

/**
 * Check of the option for a model's id. The id becomes part of a URL, so an id with `..` or unusual characters is
 * `invalid_config`.
 */
export const modelIdOption = satisfying<string>(
  "the id of a model",
  (value) => typeof value === "string" && /^[\w@-][\w./:@-]*$/.test(value) && !value.includes(".."),
);

/**
 * Checks the options of `google` or `vertex` and adds the defaults. Throws `invalid_config` for a wrong or unknown one.
 * `vendor` is named in errors; `more` holds the checks of options that only this provider has.
 */
export function readModelOptions(
  modelId: string,
  options: GeminiOptions,
  { vendor, more = {} }: { vendor: string; more?: Readonly<Record<string, OptionCheck<unknown>>> },
): ProviderSettings {
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
