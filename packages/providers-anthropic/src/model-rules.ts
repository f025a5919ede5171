/**
 * The abilities of a Claude model, which determine the settings in its requests. They are looked up by the model's id;
 * the option `rules` overrides single entries.
 */
export type ModelRules = {
  /** The form of the thinking setting: adaptive, a token budget, or none. */
  thinking: "adaptive" | "budget" | "none";
  /** True if the model accepts `temperature` and `topP`, with the API version that has them. */
  sampling: boolean;
  /** True if the model can be forced to call a tool. */
  forcedTools: boolean;
  /** True if the model accepts a JSON schema for its answer. Otherwise the schema becomes part of the instructions. */
  structuredOutput: boolean;
  /** Largest number of tokens in one answer, including thinking. */
  maxOutputTokens: number;
};

type Family = readonly [id: RegExp, differences: Partial<ModelRules>];

/** The rules for an unknown Claude model: the rules of the newest model. */
const newest: ModelRules = {
  thinking: "adaptive",
  sampling: false,
  // Models that always think refuse forced tools.
  forcedTools: false,
  structuredOutput: true,
  maxOutputTokens: 128_000,
};

const elder = { thinking: "budget", sampling: true, forcedTools: true, structuredOutput: false } as const;

/** Rules that differ from the rules of the newest model, by model id. The first match applies. */
const families: readonly Family[] = [
  [/claude-3-7/, { ...elder, maxOutputTokens: 64_000 }],
  [/claude-3-5/, { ...elder, thinking: "none", maxOutputTokens: 8192 }],
  [/claude-(?:instant|[23])/, { ...elder, thinking: "none", maxOutputTokens: 4096 }],
  [/claude-opus-4-(?:[0-4](?!\d)|20\d{6})/, { ...elder, maxOutputTokens: 32_000 }],
  [/claude-(?:sonnet|haiku)-4-(?:[0-4](?!\d)|20\d{6})/, { ...elder, maxOutputTokens: 64_000 }],
  [/claude-(?:opus|sonnet|haiku)-4-5(?!\d)/, { ...elder, structuredOutput: true, maxOutputTokens: 64_000 }],
  [/claude-(?:opus|sonnet|haiku)-4-6(?!\d)/, { sampling: true, forcedTools: true }],
  [/claude-(?:opus|sonnet|haiku)-4-[78](?!\d)/, { forcedTools: true }],
];

/**
 * Returns the abilities of a Claude model by its id: thinking, sampling, forced tools, structured output, output
 * tokens. The options override them. An unknown id counts as the newest model.
 */
export function rulesOf(modelId: string, overrides: Partial<ModelRules> = {}): ModelRules {
  const family = families.find(([id]) => id.test(modelId))?.[1];
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined);
  return { ...newest, ...family, ...Object.fromEntries(given) };
}
