import type { ReasoningEffort } from "@troupe/core";

/**
 * A kind of input other than text that a model may accept, for `ModelRules.parts`. Parts of other kinds are refused
 * before the model call.
 */
export type InputPartKind = "image" | "audio" | "file";

/**
 * The abilities of a model and its server. Settings that they do not accept are omitted from a request, or expressed
 * differently. The option `rules` overrides single entries.
 */
export type ModelRules = {
  /** True if the model accepts reasoning settings. */
  reasoning: boolean;
  /** The reasoning efforts that the model accepts. */
  efforts: readonly ReasoningEffort[];
  /** True if the model sends summaries of its reasoning (Responses). */
  reasoningSummary: boolean;
  /** True if the model accepts reasoning settings together with tools (Chat Completions). */
  reasoningWithTools: boolean;
  /** The form of the reasoning setting (Chat Completions). */
  reasoningStyle: "effort" | "openrouter" | "groq";
  /** True if the model accepts `temperature` and `topP`. */
  sampling: boolean;
  /** True if the model accepts `stop` (Chat Completions; Responses has no such setting). */
  stop: boolean;
  /** True if the server enforces schemas that are marked as strict. */
  strict: boolean;
  /** True if the model accepts a JSON schema for its answer. */
  jsonSchema: boolean;
  /** True if the model accepts the format "any JSON object". */
  jsonObject: boolean;
  /** The field name of the token limit (Chat Completions). */
  maxTokensField: "max_completion_tokens" | "max_tokens";
  /** True if messages may have a `name` (Chat Completions). */
  names: boolean;
  /** The kinds of input other than text that the model accepts. */
  parts: readonly InputPartKind[];
  /** True if the server accepts a session key for its prompt cache. */
  cacheKey: boolean;
  /**
   * The strongest tool choice that the server understands (Chat Completions): the name of one tool, or only that some
   * tool must be called, which the server calls `required` or `any`. To require one tool from a server that does not
   * understand names, no other tool is sent.
   */
  toolChoice: "named" | "required" | "any";
  /** True if ids of tool calls must have nine letters and digits (Chat Completions). */
  shortCallIds: boolean;
  /** The field name of the seed (Chat Completions). */
  seedField: "seed" | "random_seed";
  /** True if reasoning tokens are not part of the completion tokens that the server counts (Chat Completions). */
  reasoningApart: boolean;
};

/** The rules for an unknown OpenAI model: the rules of the newest model. */
const newest: ModelRules = {
  reasoning: true,
  efforts: ["low", "medium", "high", "xhigh"],
  reasoningSummary: true,
  reasoningWithTools: false,
  reasoningStyle: "effort",
  sampling: false,
  stop: false,
  strict: true,
  jsonSchema: true,
  jsonObject: true,
  maxTokensField: "max_completion_tokens",
  names: true,
  parts: ["image", "file"],
  cacheKey: true,
  toolChoice: "named",
  shortCallIds: false,
  seedField: "seed",
  reasoningApart: false,
};

/** The rules for other models: only settings with names that every server supports. */
const unknown: ModelRules = {
  ...newest,
  efforts: ["low", "medium", "high"],
  reasoningSummary: false,
  reasoningWithTools: true,
  sampling: true,
  stop: true,
  strict: false,
  maxTokensField: "max_tokens",
  names: false,
  parts: ["image", "audio", "file"],
  cacheKey: false,
};

const plain = { reasoning: false, reasoningSummary: false, sampling: true, stop: true } satisfies Partial<ModelRules>;
const early = { ...plain, strict: false, jsonSchema: false } satisfies Partial<ModelRules>;

/** OpenAI models whose rules differ from the rules of the newest model. The first match applies. */
const byModel: readonly (readonly [RegExp, Partial<ModelRules>])[] = [
  [/audio/, { ...plain, parts: ["audio"] }],
  [/^gpt-4-turbo/, { ...early, parts: ["image"] }],
  [/^(?:gpt-3|gpt-4(?![o.]))/, { ...early, parts: [] }],
  [/^(?:gpt-4|chatgpt-)|^gpt-.*-chat/, plain],
  [/^o[13]-mini/, { parts: [], efforts: ["low", "medium", "high"] }],
  [/^o\d/, { efforts: ["low", "medium", "high"] }],
  [/^gpt-5(?!\.)/, { efforts: ["minimal", "low", "medium", "high"] }],
  [/^gpt-5\.1(?!\d)/, { efforts: ["none", "low", "medium", "high"] }],
  [/^gpt-5\./, { efforts: ["none", "low", "medium", "high", "xhigh"] }],
];

/** Differences of Chat Completions servers, by host. The guide "Vendors by preset" names the source of each entry. */
const byHost: readonly (readonly [RegExp, Partial<ModelRules>])[] = [
  [
    /(?:^|\.)openrouter\.ai$/,
    { reasoningStyle: "openrouter", efforts: ["none", "minimal", "low", "medium", "high", "xhigh"] },
  ],
  [/(?:^|\.)groq\.com$/, { reasoningStyle: "groq" }],
  [/(?:^|\.)deepseek\.com$/, { jsonSchema: false }],
  [/(?:^|\.)mistral\.ai$/, { toolChoice: "any", shortCallIds: true, seedField: "random_seed" }],
  [/(?:^|\.)x\.ai$/, { reasoningApart: true, stop: false, maxTokensField: "max_completion_tokens" }],
];

/** Rules of open models, by patterns of their ids: such a model has the same settings on every server. */
const byOpenModel: readonly (readonly [RegExp, Partial<ModelRules>])[] = [[/gpt-oss/, { reasoningStyle: "effort" }]];

/** Returns true if a host name belongs to OpenAI itself, in any region, and not to a compatible server. */
export function isOpenAIHost(host: string): boolean {
  return host === "api.openai.com" || host.endsWith(".api.openai.com");
}

/**
 * Returns true for a server of OpenAI or Azure, which supports OpenAI's own fields in addition to the fields of Chat
 * Completions.
 */
function hasOwnFields(host: string): boolean {
  return isOpenAIHost(host) || host.endsWith(".openai.azure.com");
}

/**
 * Returns the abilities of a model by its id and the host of its server. The options override them. An unknown OpenAI
 * model counts as the newest.
 */
export function rulesOf(model: { id: string; host: string }, overrides: Partial<ModelRules> = {}): ModelRules {
  const id = model.id.replace(/^ft:/, "");
  const isOpenAIModel = isOpenAIHost(model.host) || /^(?:gpt-(?!oss)|o\d|chatgpt-)/.test(id);
  const known = isOpenAIModel ? { ...newest, ...first(byModel, id), names: isOpenAIHost(model.host) } : unknown;
  const own = { ...known, cacheKey: hasOwnFields(model.host) };
  return { ...own, ...first(byHost, model.host), ...first(byOpenModel, id), ...overrides };
}

function first(table: typeof byModel, text: string): Partial<ModelRules> | undefined {
  return table.find(([pattern]) => pattern.test(text))?.[1];
}
