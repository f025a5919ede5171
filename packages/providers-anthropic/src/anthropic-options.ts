import { createLogger } from "@troupe/core";
import type { Logger } from "@troupe/core";
import {
  anyBoolean,
  apiKeyOption,
  baseUrlOption,
  integer,
  loggerOption,
  nested,
  nonBlankString,
  oneOf,
  optional,
  readOptions,
  timeoutMilliseconds,
} from "@troupe/core/adapter";
import type { OptionTable } from "@troupe/core/adapter";
import { rulesOf } from "./model-rules.ts";
import type { ModelRules } from "./model-rules.ts";

/** How Anthropic is reached. */
export type AnthropicOptions = {
  /** The key for calls that bring none. @default the environment's `ANTHROPIC_API_KEY`, at the time of the call */
  apiKey?: string;
  /** Where the interface is, without `/v1`. @default "https://api.anthropic.com" */
  baseURL?: string;
  /** The header that carries the key; some gateways know only the one of old. @default "authorization" */
  keyHeader?: "authorization" | "x-api-key";
  /** The longest silence before and within a stream. @default 60_000 */
  idleTimeoutMs?: number;
  /** What the model takes, where it differs from the table. */
  rules?: Partial<ModelRules>;
  /** Told, at level debug, what the model does not take and is therefore left out. @default silent */
  logger?: Logger;
};

/** The options of one model, checked and complete. */
export type ModelSettings = {
  modelId: string;
  apiKey: string | undefined;
  baseURL: string;
  keyHeader: "authorization" | "x-api-key";
  idleTimeoutMs: number;
  rules: ModelRules;
  logger: Logger;
};

const ruleTable = {
  thinking: optional(oneOf("adaptive", "budget", "none")),
  sampling: optional(anyBoolean),
  forcedTools: optional(anyBoolean),
  structuredOutput: optional(anyBoolean),
  maxOutputTokens: optional(integer(1)),
} satisfies OptionTable<ModelRules>;

const optionTable = {
  apiKey: optional(apiKeyOption),
  baseURL: optional(baseUrlOption, "https://api.anthropic.com"),
  keyHeader: optional(oneOf("authorization", "x-api-key"), "authorization"),
  idleTimeoutMs: optional(timeoutMilliseconds, 60_000),
  rules: optional(nested(ruleTable)),
  logger: optional(loggerOption),
} satisfies OptionTable<AnthropicOptions>;

const where = { owner: "anthropic" };
const checkModelId = nonBlankString();

/** Checks the options of one model and adds the defaults. A wrong or unknown one is `invalid_config`. */
export function readModelOptions(modelId: string, options: AnthropicOptions): ModelSettings {
  const { apiKey, rules, logger = createLogger(), ...settings } = readOptions(optionTable, options, where);
  return {
    ...settings,
    modelId: checkModelId(modelId, "modelId", where),
    apiKey,
    rules: rulesOf(modelId, rules),
    logger,
  };
}
