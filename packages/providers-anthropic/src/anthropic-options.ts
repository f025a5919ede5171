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
  wrongOption,
} from "@troupe/core/adapter";
import type { OptionCheck, OptionTable } from "@troupe/core/adapter";
import type { PromptCache } from "./cache-marks.ts";
import { rulesOf } from "./model-rules.ts";
import type { ModelRules } from "./model-rules.ts";

/** Options of `anthropic`, which creates a model. All have defaults. */
export type AnthropicOptions = {
  /** The key for calls without their own. @default `ANTHROPIC_API_KEY`, read at each call */
  apiKey?: string | undefined;
  /** The URL of the API, without `/v1`. @default "https://api.anthropic.com" */
  baseURL?: string | undefined;
  /** The header that carries the key. Some gateways know only the old `x-api-key`. @default "authorization" */
  keyHeader?: "authorization" | "x-api-key" | undefined;
  /** Milliseconds to wait for the first byte, and between chunks. @default 60_000 */
  idleTimeoutMs?: number | undefined;
  /**
   * Marks for the vendor's prompt cache: `false` for none, or the time for which tools and instructions stay in it. The
   * last turns stay for 5 minutes. @default { ttl: "5m" }
   */
  promptCache?: PromptCache | undefined;
  /** Abilities of the model that the table does not know or has wrong. */
  rules?: Partial<ModelRules> | undefined;
  /** Receives at level debug the settings that are left out because the model does not take them. @default silent */
  logger?: Logger | undefined;
};

/**
 * The settings of an Anthropic model that `readModelOptions` returns: checked options, with defaults and all abilities.
 */
export type ProviderSettings = {
  modelId: string;
  apiKey: string | undefined;
  baseURL: string;
  keyHeader: "authorization" | "x-api-key";
  idleTimeoutMs: number;
  promptCache: PromptCache;
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

const checkTtl = nested({ ttl: oneOf("5m", "1h") });

const optionTable = {
  apiKey: optional(apiKeyOption),
  baseURL: optional(baseUrlOption, "https://api.anthropic.com"),
  keyHeader: optional(oneOf("authorization", "x-api-key"), "authorization"),
  idleTimeoutMs: optional(timeoutMilliseconds, 60_000),
  promptCache: optional(checkPromptCache, { ttl: "5m" as const }),
  rules: optional(nested(ruleTable)),
  logger: optional(loggerOption),
} satisfies OptionTable<AnthropicOptions>;

const where = { owner: "anthropic" };
const checkModelId = nonBlankString();

/** Checks the arguments of `anthropic` and adds the defaults. Throws `invalid_config` for a wrong or unknown one. */
export function readModelOptions(modelId: string, options: AnthropicOptions): ProviderSettings {
  const { apiKey, rules, logger = createLogger(), ...settings } = readOptions(optionTable, options, where);
  return {
    ...settings,
    modelId: checkModelId(modelId, "modelId", where),
    apiKey,
    rules: rulesOf(modelId, rules),
    logger,
  };
}

function checkPromptCache(...[value, name, place]: Parameters<OptionCheck<unknown>>): PromptCache {
  if (value === false) return false;
  if (typeof value === "object" && value !== null) return checkTtl(value, name, place);
  throw wrongOption({ ...place, name }, 'false or { ttl: "5m" | "1h" }', value);
}
