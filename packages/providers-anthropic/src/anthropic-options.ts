import { createLogger, TroupeError } from "@troupe/core";
import type { Logger } from "@troupe/core";
import { checkApiKey, checkCount, checkDuration, getOwn, wrongOption } from "@troupe/core/adapter";
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

type Checks<Name extends string = string> = Readonly<Record<Name, (value: unknown) => unknown>>;

const optionChecks: Checks<keyof AnthropicOptions> = {
  apiKey: (value) => checkApiKey(value, "apiKey of the provider's options", "invalid_config"),
  baseURL: checkBaseUrl,
  keyHeader: oneOf("keyHeader", ["authorization", "x-api-key"]),
  idleTimeoutMs: (value) => checkDuration(checkCount(value, "idleTimeoutMs", 1), "idleTimeoutMs"),
  rules: (value) => checkFields(value, ruleChecks, "rules"),
  logger: checkLogger,
};

const ruleChecks: Checks<keyof ModelRules> = {
  thinking: oneOf("rules.thinking", ["adaptive", "budget", "none"]),
  sampling: oneOf("rules.sampling", [true, false]),
  forcedTools: oneOf("rules.forcedTools", [true, false]),
  structuredOutput: oneOf("rules.structuredOutput", [true, false]),
  maxOutputTokens: (value) => checkCount(value, "rules.maxOutputTokens", 1),
};

/** Checks the options and fills in what they leave open. A wrong or unknown one is `invalid_config`. */
export function readOptions(modelId: string, options: AnthropicOptions): ModelSettings {
  if (typeof modelId !== "string" || modelId.trim() === "") throw wrongOption("modelId", "the id of a model", modelId);
  checkFields(options, optionChecks, "options");
  return {
    modelId,
    apiKey: options.apiKey,
    baseURL: options.baseURL ?? "https://api.anthropic.com",
    keyHeader: options.keyHeader ?? "authorization",
    idleTimeoutMs: options.idleTimeoutMs ?? 60_000,
    rules: rulesOf(modelId, options.rules),
    logger: options.logger ?? createLogger(),
  };
}

function checkFields(fields: unknown, checks: Checks, option: string): void {
  if (typeof fields !== "object" || fields === null) throw wrongOption(option, "an object", fields);
  for (const [name, value] of Object.entries(fields)) {
    const check = getOwn(checks, name);
    if (check === undefined) {
      const known = Object.keys(checks).join(", ");
      throw new TroupeError("invalid_config", `${option} of anthropic must not hold ${name}; they are ${known}.`);
    }
    if (value !== undefined) check(value);
  }
}

function oneOf(option: string, values: readonly unknown[]): (value: unknown) => void {
  const expected = values.map((each) => JSON.stringify(each)).join(" or ");
  return (value) => {
    if (!values.includes(value)) throw wrongOption(option, expected, value);
  };
}

function checkBaseUrl(value: unknown): void {
  const url = typeof value === "string" ? URL.parse(value) : null;
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  if (isWeb && [url.username, url.password, url.search, url.hash].every((part) => part === "")) return;
  throw wrongOption("baseURL", "an http: or https: address without credentials, query or fragment", value);
}

function checkLogger(value: unknown): void {
  const debug = typeof value === "object" && value !== null ? (value as Partial<Logger>).debug : undefined;
  if (typeof debug !== "function") throw wrongOption("logger", "a logger, as createLogger makes it", value);
}
