import { TroupeError } from "@troupe/core";
import type { Logger } from "@troupe/core";
import { checkApiKey, checkCount, checkDuration, wrongOption } from "@troupe/core/adapter";
import type { ModelRules, PartKind } from "./model-rules.ts";

/** What both factories take. */
type ConnectionOptions = {
  /** The key of the calls that carry none of their own. @default at OpenAI itself the environment's OPENAI_API_KEY, read at each call */
  apiKey?: string;
  /** Where the vendor is, its version included. @default "https://api.openai.com/v1" */
  baseURL?: string;
  /** The longest wait for an answer that is not streamed to begin. @default 600_000 */
  timeoutMs?: number;
};

/** How a model is asked. */
export type OpenAIOptions = ConnectionOptions & {
  /** Which interface is used. `auto`: Responses at OpenAI itself, Chat Completions everywhere else. @default "auto" */
  api?: "auto" | "responses" | "chat";
  /** The longest silence of a vendor that has begun to answer, and of a stream before it begins. @default 60_000 */
  idleTimeoutMs?: number;
  /** What is known better of this model than the table of models says. */
  rules?: Partial<ModelRules>;
  /** Told, at level debug, what of a call the model cannot be asked for. @default silent */
  logger?: Logger;
};

/** How texts are embedded. */
export type OpenAIEmbeddingsOptions = ConnectionOptions & {
  /** @default "text-embedding-3-small" */
  model?: string;
  /** The length of the vectors, for models that can shorten them. @default the model's own */
  dimensions?: number;
};

/** OpenAI's own address. */
export const openAIBaseURL = "https://api.openai.com/v1";

const connectionNames = ["apiKey", "baseURL", "timeoutMs"];

/** Refuses what a model cannot be made with. */
export function checkModelOptions(modelId: string, config: OpenAIOptions): void {
  checkNames(config, [...connectionNames, "api", "idleTimeoutMs", "rules", "logger"], "openai");
  checkModelId(modelId, "modelId");
  checkConnection(config);
  const { api = "auto", idleTimeoutMs = 1, rules = {}, logger } = config;
  if (!["auto", "responses", "chat"].includes(api)) throw wrongOption("api", '"auto", "responses" or "chat"', api);
  checkWait(idleTimeoutMs, "idleTimeoutMs");
  checkRules(rules);
  if (logger !== undefined && typeof (logger as { debug?: unknown } | null)?.debug !== "function")
    throw wrongOption("logger", "a logger", logger);
}

/** Refuses what embeddings cannot be made with. */
export function checkEmbeddingsOptions(config: OpenAIEmbeddingsOptions): void {
  checkNames(config, [...connectionNames, "model", "dimensions"], "openaiEmbeddings");
  checkConnection(config);
  const { model, dimensions } = config;
  if (model !== undefined) checkModelId(model, "model");
  if (dimensions !== undefined) checkCount(dimensions, "dimensions", 1);
}

function checkConnection({ apiKey, baseURL, timeoutMs = 1 }: ConnectionOptions): void {
  if (apiKey !== undefined) checkApiKey(apiKey, "apiKey of the provider's options", "invalid_config");
  if (baseURL !== undefined && !isPlainAddress(baseURL))
    throw wrongOption("baseURL", "an http: or https: address without credentials", baseURL);
  checkWait(timeoutMs, "timeoutMs");
}

function isPlainAddress(address: unknown): boolean {
  const url = typeof address === "string" ? URL.parse(address) : null;
  return /^https?:$/.test(url?.protocol ?? "") && url?.username === "" && url.password === "";
}

function checkWait(waitMs: unknown, option: string): void {
  checkDuration(checkCount(waitMs, option, 1), option);
}

function checkModelId(id: unknown, option: string): void {
  if (typeof id !== "string" || id.trim() === "") throw wrongOption(option, "the name of a model", id);
}

const ruleTypes: { [Name in keyof ModelRules]: readonly (ModelRules[Name] & string)[] | "boolean" | "parts" } = {
  reasoning: "boolean",
  reasoningSummary: "boolean",
  reasoningWithTools: "boolean",
  reasoningStyle: ["effort", "openrouter", "groq"],
  sampling: "boolean",
  stop: "boolean",
  strict: "boolean",
  jsonSchema: "boolean",
  jsonObject: "boolean",
  maxTokensField: ["max_completion_tokens", "max_tokens"],
  names: "boolean",
  parts: "parts",
};

const partKinds: readonly PartKind[] = ["image", "audio", "file"];

function checkRules(rules: Partial<ModelRules>): void {
  if (typeof rules !== "object" || rules === null) throw wrongOption("rules", "an object", rules);
  checkNames(rules, Object.keys(ruleTypes), "rules");
  for (const [name, value] of Object.entries(rules)) checkRule(name as keyof ModelRules, value);
}

function checkRule(name: keyof ModelRules, value: unknown): void {
  const expected = ruleTypes[name];
  if (expected === "boolean") {
    if (typeof value !== "boolean") throw wrongOption(`rules.${name}`, "true or false", value);
  } else if (expected === "parts") {
    const isKnown = Array.isArray(value) && value.every((kind) => partKinds.some((each) => each === kind));
    if (!isKnown) throw wrongOption("rules.parts", 'a list of "image", "audio" and "file"', value);
  } else if (!expected.some((each) => each === value)) {
    throw wrongOption(`rules.${name}`, expected.map((each) => `"${each}"`).join(" or "), value);
  }
}

function checkNames(options: object, known: readonly string[], where: string): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const sentence = `${where} has no option ${JSON.stringify(unknown)}: it takes ${known.join(", ")}.`;
  throw new TroupeError("invalid_config", sentence);
}
