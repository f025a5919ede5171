/**
 * The abilities of a Claude model, which decide the settings that its requests carry. Found by the model's id; the
 * option `rules` overrides single entries.
 */
export type ModelRules = {
  /** The form of the setting for thinking: adaptive, a budget of tokens, or none. */
  thinking: "adaptive" | "budget" | "none";
  /** True when the model takes `temperature` and `topP`, with the version of the API that has them. */
  sampling: boolean;
  /** True when the model can be forced to call a tool. */
  forcedTools: boolean;
  /** True when the model takes a JSON schema for its answer. Otherwise the schema goes into the instructions. */
  structuredOutput: boolean;
  /** The most tokens of one answer, thinking included. */
  maxOutputTokens: number;
};

type Family = readonly [id: RegExp, differences: Partial<ModelRules>];

/** The rules for a model that the table does not know: those of the newest. */
const newest: ModelRules = {
  thinking: "adaptive",
  sampling: false,
  // Refused by models that always think.
  forcedTools: false,
  structuredOutput: true,
  maxOutputTokens: 128_000,
};

const elder = { thinking: "budget", sampling: true, forcedTools: true, structuredOutput: false } as const;

/** Differences by id. The first match applies. */
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
 * Returns the abilities of a Claude model by its id (thinking, sampling, forced tools, structured output, the most output
 * tokens), with overrides from the options. An id that is not known counts as the newest model.
 */
export function rulesOf(modelId: string, overrides: Partial<ModelRules> = {}): ModelRules {
  const family = families.find(([id]) => id.test(modelId))?.[1];
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined);
  return { ...newest, ...family, ...Object.fromEntries(given) };
}
