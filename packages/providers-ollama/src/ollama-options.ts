import { createLogger } from "@troupe/core";
import type { Logger } from "@troupe/core";
import { checkApiKey, checkCount, checkDuration, checkOptionNames, wrongOption } from "@troupe/core/adapter";
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

type Checks<Options> = { readonly [Name in keyof Options]-?: (value: unknown) => unknown };

const optionChecks: Checks<OllamaOptions> = {
  apiKey: (value) => checkApiKey(value, "apiKey of the provider's options", "invalid_config"),
  baseURL: checkAddress,
  contextLength: (value) => checkCount(value, "contextLength", 1),
  timeoutMs: (value) => checkWait(value, "timeoutMs"),
  idleTimeoutMs: (value) => checkWait(value, "idleTimeoutMs"),
  rules: (value) => checkAll(value, ruleChecks, "rules"),
  logger: checkLogger,
};

const ruleChecks: Checks<ModelRules> = {
  thinking: (value) => checkOneOf(value, ["levels", "switch", "none"], "rules.thinking"),
  tools: (value) => checkOneOf(value, [true, false], "rules.tools"),
};

/** Checks the options and fills in what they leave open. A wrong or unknown one is `invalid_config`. */
export function readOptions(modelId: string, options: OllamaOptions): ModelSettings {
  if (typeof modelId !== "string" || modelId.trim() === "")
    throw wrongOption("modelId", "the name of a model", modelId);
  checkAll(options, optionChecks, "ollama");
  return {
    apiKey: options.apiKey,
    baseURL: options.baseURL ?? "http://127.0.0.1:11434",
    contextLength: options.contextLength,
    timeoutMs: options.timeoutMs ?? 300_000,
    idleTimeoutMs: options.idleTimeoutMs ?? 60_000,
    rules: { ...options.rules },
    logger: options.logger ?? createLogger(),
  };
}

function checkAll<Options>(options: unknown, checks: Checks<Options>, where: string): void {
  if (typeof options !== "object" || options === null) throw wrongOption(where, "an object", options);
  checkOptionNames(options, Object.keys(checks), where);
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) checks[name as keyof Options](value);
  }
}

function checkAddress(value: unknown): void {
  const url = typeof value === "string" ? URL.parse(value) : null;
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  if (isWeb && url.username + url.password + url.search + url.hash === "") return;
  throw wrongOption("baseURL", "an http: or https: address without credentials, query or fragment", value);
}

function checkWait(value: unknown, option: string): void {
  checkDuration(checkCount(value, option, 1), option);
}

function checkOneOf(value: unknown, values: readonly unknown[], option: string): void {
  if (values.includes(value)) return;
  throw wrongOption(option, values.map((each) => JSON.stringify(each)).join(" or "), value);
}

function checkLogger(value: unknown): void {
  const { debug } = (value ?? {}) as Partial<Logger>;
  if (typeof debug !== "function") throw wrongOption("logger", "a logger, as createLogger makes it", value);
}
