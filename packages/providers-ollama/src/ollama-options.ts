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
import type { ModelRules } from "./model-rules.ts";

/** Options of `ollama`, which creates a model. All have defaults. */
export type OllamaOptions = {
  /** The key for calls without their own. @default none; at ollama.com `OLLAMA_API_KEY`, read at each call */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The URL of the server. @default "http://127.0.0.1:11434" */
  baseURL?: string | undefined;
  /** The context length in tokens. The server truncates longer conversations without an error. @default that of the server */
  contextLength?: number | undefined;
  /** Milliseconds to wait for the first byte; the server may have to load the model. @default 300_000 */
  timeoutMs?: number | undefined;
  /** Milliseconds to wait between chunks. @default 60_000 */
  idleTimeoutMs?: number | undefined;
  /** Abilities of the model that are not known or wrong. */
  rules?: Partial<ModelRules> | undefined;
  /** Receives at level debug the settings that are left out because the model does not take them. @default silent */
  logger?: Logger | undefined;
};

/** The settings of an Ollama model that `readModelOptions` returns: checked options with their defaults. */
export type ProviderSettings = {
  apiKey: OllamaOptions["apiKey"];
  baseURL: string;
  contextLength: number | undefined;
  timeoutMs: number;
  idleTimeoutMs: number;
  rules: Partial<ModelRules>;
  logger: Logger;
};

const ruleTable = {
  thinking: optional(oneOf("levels", "switch", "none")),
  tools: optional(anyBoolean),
} satisfies OptionTable<ModelRules>;

const optionTable = {
  apiKey: optional(apiKeyOption),
  baseURL: optional(baseUrlOption, "http://127.0.0.1:11434"),
  contextLength: optional(integer(1)),
  timeoutMs: optional(timeoutMilliseconds, 300_000),
  idleTimeoutMs: optional(timeoutMilliseconds, 60_000),
  rules: optional(nested(ruleTable), {}),
  logger: optional(loggerOption),
} satisfies OptionTable<OllamaOptions>;

const where = { owner: "ollama" };
const checkModelId = nonBlankString();

/** Checks the arguments of `ollama` and adds the defaults. Throws `invalid_config` for a wrong or unknown one. */
export function readModelOptions(modelId: string, options: OllamaOptions): ProviderSettings {
  checkModelId(modelId, "modelId", where);
  const { apiKey, contextLength, logger = createLogger(), ...settings } = readOptions(optionTable, options, where);
  return { ...settings, apiKey, contextLength, logger };
}
