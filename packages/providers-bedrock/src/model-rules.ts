/**
 * The abilities of a model on Bedrock, which determine the settings in its requests. They are looked up by the model's
 * id; the option `rules` overrides single entries, for example for the ARN of an inference profile, which does not
 * contain the model's name.
 */
export type ModelRules = {
  /** The form of the thinking setting: for Claude, adaptive or with a token budget; for Nova, the effort; or none. */
  thinking: "adaptive" | "budget" | "effort" | "always" | "none";
  /** The settings for sampling that the model accepts: `temperature` and `topP`, only one of them, or none. */
  sampling: "both" | "one" | "none";
  /** The ways in which the model calls tools: within streams, in whole answers only, or not at all. */
  tools: "streamed" | "whole" | "none";
  /** The tool calls that a request can demand from the model: a call of a named tool, a call of any tool, or none. */
  toolChoice: "named" | "any" | "none";
  /** True if the model can be limited to one tool call at a time. */
  singleCalls: boolean;
  /** The form of the ids of tool calls: up to 64 characters, or exactly nine letters and digits. */
  callIds: "long" | "short";
  /** True if the model accepts a system prompt. Otherwise the system prompt becomes a part of the first message. */
  systemPrompt: boolean;
  /** True if the model accepts images. */
  images: boolean;
  /** True if the model accepts documents. */
  documents: boolean;
  /** True if the model accepts a JSON schema for its answer. Otherwise the schema becomes part of the instructions. */
  structuredOutput: boolean;
  /** The parts of a prompt that may have cache points: all, all but tools, or none. */
  cachePoints: "all" | "prompt" | "none";
  /** True if the schema of a tool may have only `type`, `properties` and `required` at its top. */
  plainSchemas: boolean;
};

type Family = readonly [id: RegExp, differences: Partial<ModelRules>];

/** The rules for an unknown model: the rules of the newest models, without thinking and cache points. */
const unknown: ModelRules = {
  thinking: "none",
  sampling: "both",
  tools: "streamed",
  toolChoice: "named",
  singleCalls: false,
  callIds: "long",
  systemPrompt: true,
  images: true,
  documents: true,
  structuredOutput: false,
  cachePoints: "none",
  plainSchemas: false,
};

/*
 * Sources, read on 2026-11-29:
 * - "Supported models and model features" of Amazon's user guide for Bedrock
 *   (conversation-inference-supported-models-features): tools, streamed tools, images, documents, system prompts.
 * - "Prompt caching" of the same guide (prompt-caching): cache points.
 * - "Structured output" of the same guide (structured-output), with langchain-ai/langchain-aws#883: schemas.
 * - langchain-ai/langchain-aws, libs/aws/langchain_aws/chat_models/bedrock_converse.py at 0019612: tool choice and
 *   streamed tools by family.
 * - @ai-sdk/amazon-bedrock 4.0.186, src/normalize-tool-call-id.ts: ids of calls for Mistral;
 *   src/bedrock-prepare-tools.ts: one call at a time for Claude; src/bedrock-chat-language-model.ts: thinking.
 * - "Extended thinking in Amazon Nova 2" (nova2-userguide/extended-thinking): efforts.
 * - The rules of the same Claude models at Anthropic: sampling, forced tools, thinking.
 */

const claude = { singleCalls: true, cachePoints: "all" } as const;
const budgeted = { ...claude, thinking: "budget" } as const;
const adaptive = { ...claude, thinking: "adaptive", sampling: "none" } as const;
const elder = { ...claude, cachePoints: "none" } as const;
const nova = { cachePoints: "prompt", plainSchemas: true } as const;
/** Llama and Mistral call tools in whole answers only. */
const openWeights = { tools: "whole", toolChoice: "none", images: false } as const;

/** Rules that differ from the rules of an unknown model, by model id. The first match applies. */
const families: readonly Family[] = [
  [/claude-(?:instant|v2)/, { ...elder, tools: "none", images: false }],
  [/claude-3-7/, budgeted],
  [/claude-3-5-haiku/, { ...claude, images: false }],
  [/claude-3-/, elder],
  [/claude-(?:opus|sonnet|haiku)-4-5(?!\d)/, { ...budgeted, sampling: "one", structuredOutput: true }],
  [/claude-opus-4-6(?!\d)/, { ...adaptive, sampling: "one", structuredOutput: true }],
  [/claude-(?:sonnet|haiku)-4-6(?!\d)/, { ...adaptive, sampling: "one" }],
  [/claude-(?:opus|sonnet|haiku)-4-[78](?!\d)/, adaptive],
  [/claude-opus-4-1(?!\d)/, { ...budgeted, sampling: "one" }],
  [/claude-(?:opus|sonnet|haiku)-4(?!\d)/, budgeted],
  // Newer Claude models always think, so that a request cannot demand a tool call.
  [/claude/, { ...adaptive, toolChoice: "none" }],
  [/nova-2/, { ...nova, thinking: "effort" }],
  [/nova-micro/, { ...nova, images: false, documents: false }],
  [/nova-/, nova],
  [/llama3-2-(?:1|3)b/, { ...openWeights, tools: "none" }],
  [/llama3-2-(?:11|90)b|llama4/, { ...openWeights, images: true }],
  [/llama3-[13]/, openWeights],
  [/llama/, { ...openWeights, tools: "none" }],
  [/pixtral/, { ...openWeights, callIds: "short", images: true }],
  [/mistral-large/, { ...openWeights, callIds: "short", toolChoice: "any" }],
  [/mistral-small/, { ...openWeights, callIds: "short", documents: false }],
  [/mixtral|mistral-7b/, { ...openWeights, callIds: "short", tools: "none", systemPrompt: false }],
  [/mistral/, { ...openWeights, callIds: "short" }],
  [/deepseek.*r1/, { thinking: "always", tools: "none", toolChoice: "none", images: false }],
  [/deepseek/, { toolChoice: "any", images: false }],
];

/**
 * Returns the abilities of a model by its id, the id of its inference profile or its ARN. The options override them. An
 * id that names no known family counts as a new model without thinking.
 */
export function rulesOf(modelId: string, overrides: Partial<ModelRules> = {}): ModelRules {
  const family = families.find(([id]) => id.test(modelId))?.[1];
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined);
  return { ...unknown, ...family, ...Object.fromEntries(given) };
}
