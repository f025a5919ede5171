import type { ModelProviderOptions } from "@troupe/core";
import {
  booleanOption,
  baseUrlOption,
  integerOption,
  nested,
  nonBlankString,
  oneOf,
  optional,
  wrongOption,
} from "@troupe/core/kit";
import { clientOption, modelProviderOptionTable, readProviderOptions } from "@troupe/core/provider";
import type { OptionCheck, OptionTable } from "@troupe/core/kit";
import type { ProviderSettingsOf } from "@troupe/core/provider";
import { rulesOf } from "./model-rules.ts";
import type { ModelRules } from "./model-rules.ts";

/** The id of this provider, which errors contain and under which callers send its key. */
export const providerId = "anthropic";

/**
 * A client of Anthropic's SDK, described by the one method that is called: an `Anthropic`, `AnthropicBedrock` or
 * `AnthropicVertex`, or such a client wrapped by instrumentation.
 */
export type AnthropicClient = { messages: { create(body: never, options?: never): PromiseLike<unknown> } };

/**
 * The option `promptCache`: `false`, or the time for which the vendor keeps tools and instructions in its prompt cache.
 */
export type PromptCache = false | { ttl: "5m" | "1h" };

/** Options of `anthropic`, which creates a model. All have defaults. */
export type AnthropicOptions = ModelProviderOptions<AnthropicClient, ModelRules> & {
  /**
   * The key for calls without their own key, or a function that returns it for each call. @default `ANTHROPIC_API_KEY`,
   * read at each call; for servers other than Anthropic only with `useEnvironmentKey`
   */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The URL of the API, without `/v1`. @default "https://api.anthropic.com" */
  baseURL?: string | undefined;
  /** The header that carries the key. Some gateways only support the old `x-api-key`. @default "authorization" */
  keyHeader?: "authorization" | "x-api-key" | undefined;
  /**
   * Marks for the vendor's prompt cache: `false` for no marks, or the time for which tools and instructions stay in the
   * cache. The last turns stay for 5 minutes. @default { ttl: "5m" }
   */
  promptCache?: PromptCache | undefined;
};

const ruleTable = {
  thinking: optional(oneOf("adaptive", "budget", "none")),
  sampling: optional(booleanOption),
  forcedTools: optional(booleanOption),
  structuredOutput: optional(booleanOption),
  maxOutputTokens: optional(integerOption(1)),
} satisfies OptionTable<ModelRules>;

const checkTtl = nested({ ttl: oneOf("5m", "1h") });

const optionTable = {
  ...modelProviderOptionTable,
  baseURL: optional(baseUrlOption, "https://api.anthropic.com"),
  keyHeader: optional(oneOf("authorization", "x-api-key"), "authorization"),
  promptCache: optional(checkPromptCache, { ttl: "5m" as const }),
  rules: optional(nested(ruleTable)),
  client: optional(clientOption<AnthropicClient>("a client of @anthropic-ai/sdk", "messages.create")),
} satisfies OptionTable<AnthropicOptions>;

const checkModelId = nonBlankString();

/** The settings of a model, returned by `readModelOptions`: the checked options with defaults, and all abilities. */
export type ProviderSettings = Omit<ProviderSettingsOf<typeof optionTable>, "rules"> & {
  modelId: string;
  rules: ModelRules;
};

/** Checks the arguments of `anthropic` and adds the defaults. Throws `invalid_config` for a wrong or unknown option. */
export function readModelOptions(modelId: string, options: AnthropicOptions): ProviderSettings {
  checkModelId(modelId, "modelId", { owner: providerId });
  const names = { owner: providerId, withoutEffect: ["keyHeader"] };
  const { rules, ...settings } = readProviderOptions(optionTable, options, names);
  return { ...settings, modelId, rules: rulesOf(modelId, rules) };
}

function checkPromptCache(...[value, name, place]: Parameters<OptionCheck<unknown>>): PromptCache {
  if (value === false) return false;
  if (typeof value === "object" && value !== null) return checkTtl(value, name, place);
  throw wrongOption({ ...place, name }, 'false or { ttl: "5m" | "1h" }', value);
}
