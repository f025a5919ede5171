/** What a model takes. The table below knows it by the model's id; `rules` in the options overrides single entries. */
export type ModelRules = {
  /** How it is told to think: by itself, within a budget of tokens, or not at all. */
  thinking: "adaptive" | "budget" | "none";
  /** Whether it takes `temperature` and `topP`, over the version of the interface that still has them. */
  sampling: boolean;
  /** Whether it can be made to call a tool. */
  forcedTools: boolean;
  /** Whether it answers in the form of a JSON schema by itself; else the schema stands in the instructions. */
  structuredOutput: boolean;
  /** The most tokens that one answer may have, thinking included. */
  maxOutputTokens: number;
};

type Family = readonly [id: RegExp, differences: Partial<ModelRules>];

/** A model that nobody knows yet is like the newest. */
const newest: ModelRules = {
  thinking: "adaptive",
  sampling: false,
  // Refused by models that think unasked.
  forcedTools: false,
  structuredOutput: true,
  maxOutputTokens: 128_000,
};

const elder = { thinking: "budget", sampling: true, forcedTools: true, structuredOutput: false } as const;

/** The first that fits counts. */
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

/** The rules of a model, with what the configuration says otherwise. */
export function rulesOf(modelId: string, overrides: Partial<ModelRules> = {}): ModelRules {
  const family = families.find(([id]) => id.test(modelId))?.[1];
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined);
  return { ...newest, ...family, ...Object.fromEntries(given) };
}
