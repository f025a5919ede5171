/** What a model takes beside text: what a rule does not name is refused before the vendor is asked. */
export type PartKind = "image" | "audio" | "file";

/** What a model, or the server that runs it, can do. What it cannot do is left out of a request, or said in another way. */
export type ModelRules = {
  /** Takes settings for its reasoning. */
  reasoning: boolean;
  /** Tells its reasoning in summaries (Responses). */
  reasoningSummary: boolean;
  /** Takes settings for its reasoning also when it has tools (Chat Completions). */
  reasoningWithTools: boolean;
  /** How a server is asked to reason (Chat Completions). */
  reasoningStyle: "effort" | "openrouter" | "groq";
  /** Takes `temperature` and `topP`. */
  sampling: boolean;
  /** Takes `stop` (Chat Completions; Responses know no such thing). */
  stop: boolean;
  /** Keeps to a schema that says of itself that it is to be followed strictly. */
  strict: boolean;
  /** Takes a JSON schema for its answer. */
  jsonSchema: boolean;
  /** Can be asked for some JSON object. */
  jsonObject: boolean;
  /** The name of the limit of tokens (Chat Completions). */
  maxTokensField: "max_completion_tokens" | "max_tokens";
  /** Takes a `name` on messages (Chat Completions). */
  names: boolean;
  /** What it takes beside text. */
  parts: readonly PartKind[];
};

/** A model of OpenAI of which nothing else is known: what came last is most like what comes next. */
const newest: ModelRules = {
  reasoning: true,
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
};

/** A model of somebody else's: it is sent what the caller asked for, under the names that every server knows. */
const unknown: ModelRules = {
  ...newest,
  reasoningSummary: false,
  reasoningWithTools: true,
  sampling: true,
  stop: true,
  strict: false,
  maxTokensField: "max_tokens",
  names: false,
  parts: ["image", "audio", "file"],
};

const plain = { reasoning: false, reasoningSummary: false, sampling: true, stop: true } satisfies Partial<ModelRules>;
const early = { ...plain, strict: false, jsonSchema: false } satisfies Partial<ModelRules>;

/** The models of OpenAI that are not like the newest; the first that fits counts. */
const byModel: readonly (readonly [RegExp, Partial<ModelRules>])[] = [
  [/audio/, { ...plain, parts: ["audio"] }],
  [/^gpt-4-turbo/, { ...early, parts: ["image"] }],
  [/^(?:gpt-3|gpt-4(?![o.]))/, { ...early, parts: [] }],
  [/^(?:gpt-4|chatgpt-)|^gpt-.*-chat/, plain],
  [/^o[13]-mini/, { parts: [] }],
];

/** The servers that differ from others which speak Chat Completions, by their host. */
const byHost: readonly (readonly [RegExp, Partial<ModelRules>])[] = [
  [/(?:^|\.)openrouter\.ai$/, { reasoningStyle: "openrouter" }],
  [/(?:^|\.)groq\.com$/, { reasoningStyle: "groq" }],
  [/(?:^|\.)deepseek\.com$/, { jsonSchema: false }],
];

/** Models that are asked in the same way on whatever server they run. */
const byOpenModel: readonly (readonly [RegExp, Partial<ModelRules>])[] = [[/gpt-oss/, { reasoningStyle: "effort" }]];

/** Whether an address is OpenAI's own, in whatever region. */
export function isOpenAIHost(host: string): boolean {
  return host === "api.openai.com" || host.endsWith(".api.openai.com");
}

/** The rules of a model at a host, those that the caller knows better on top. */
export function modelRules(model: { id: string; host: string }, overrides: Partial<ModelRules> = {}): ModelRules {
  const id = model.id.replace(/^ft:/, "");
  const isOpenAIModel = isOpenAIHost(model.host) || /^(?:gpt-(?!oss)|o\d|chatgpt-)/.test(id);
  const known = isOpenAIModel ? { ...newest, ...first(byModel, id), names: isOpenAIHost(model.host) } : unknown;
  return { ...known, ...first(byHost, model.host), ...first(byOpenModel, id), ...overrides };
}

function first(table: typeof byModel, text: string): Partial<ModelRules> | undefined {
  return table.find(([pattern]) => pattern.test(text))?.[1];
}
