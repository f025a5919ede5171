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

/** How a model is reached, and what is known of it. */
export type OllamaOptions = {
  /** The key for calls that bring none. @default none; at ollama.com the environment's `OLLAMA_API_KEY`, at the time of the call */
  apiKey?: string;
  /** Where the server is, with its port. @default "http://127.0.0.1:11434" */
  baseURL?: string;
  /** How many tokens the model has room for; the server cuts longer conversations without a word. @default the server's */
  contextLength?: number;
  /** The longest wait for an answer to begin, in which the server may have to load the model. @default 300_000 */
  timeoutMs?: number;
  /** The longest silence within an answer. @default 60_000 */
  idleTimeoutMs?: number;
  /** What the model takes, where you know better. */
  rules?: Partial<ModelRules>;
  /** Told, at level debug, what of a call the model cannot be asked for. @default silent */
  logger?: Logger;
};

/** The options of one model, checked and complete. */
export type ModelSettings = {
  apiKey: string | undefined;
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

/** Checks the options of one model and adds the defaults. A wrong or unknown one is `invalid_config`. */
export function readModelOptions(modelId: string, options: OllamaOptions): ModelSettings {
  checkModelId(modelId, "modelId", where);
  const { apiKey, contextLength, logger = createLogger(), ...settings } = readOptions(optionTable, options, where);
  return { ...settings, apiKey, contextLength, logger };
}
