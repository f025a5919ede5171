import type { Logger } from "@troupe/core";
import {
  anyBoolean,
  apiKeyOption,
  arrayOf,
  integer,
  loggerOption,
  nested,
  nonBlankString,
  oneOf,
  optional,
  readOptions,
  satisfying,
  timeoutMilliseconds,
} from "@troupe/core/adapter";
import type { OptionTable } from "@troupe/core/adapter";
import type { ModelRules } from "./model-rules.ts";

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

const connectionTable = {
  apiKey: optional(apiKeyOption),
  baseURL: optional(satisfying<string>("an http: or https: address without credentials", isPlainAddress)),
  timeoutMs: optional(timeoutMilliseconds),
} satisfies OptionTable<ConnectionOptions>;

const ruleTable = {
  reasoning: optional(anyBoolean),
  reasoningSummary: optional(anyBoolean),
  reasoningWithTools: optional(anyBoolean),
  reasoningStyle: optional(oneOf("effort", "openrouter", "groq")),
  sampling: optional(anyBoolean),
  stop: optional(anyBoolean),
  strict: optional(anyBoolean),
  jsonSchema: optional(anyBoolean),
  jsonObject: optional(anyBoolean),
  maxTokensField: optional(oneOf("max_completion_tokens", "max_tokens")),
  names: optional(anyBoolean),
  parts: optional(arrayOf("kinds of parts", oneOf("image", "audio", "file"))),
} satisfies OptionTable<ModelRules>;

const modelTable = {
  ...connectionTable,
  api: optional(oneOf("auto", "responses", "chat")),
  idleTimeoutMs: optional(timeoutMilliseconds),
  rules: optional(nested(ruleTable)),
  logger: optional(loggerOption),
} satisfies OptionTable<OpenAIOptions>;

const embeddingsTable = {
  ...connectionTable,
  model: optional(nonBlankString()),
  dimensions: optional(integer(1)),
} satisfies OptionTable<OpenAIEmbeddingsOptions>;

const checkModelId = nonBlankString();

/** Checks the options of one model. A wrong or unknown one is `invalid_config`. */
export function readModelOptions(modelId: string, options: OpenAIOptions): OpenAIOptions {
  const where = { owner: "openai" };
  checkModelId(modelId, "modelId", where);
  return readOptions(modelTable, options, where);
}

/** Checks the options of embeddings. A wrong or unknown one is `invalid_config`. */
export function readEmbeddingsOptions(options: OpenAIEmbeddingsOptions): OpenAIEmbeddingsOptions {
  return readOptions(embeddingsTable, options, { owner: "openaiEmbeddings" });
}

function isPlainAddress(address: unknown): boolean {
  const url = typeof address === "string" ? URL.parse(address) : null;
  return /^https?:$/.test(url?.protocol ?? "") && url?.username === "" && url.password === "";
}
