/**
 * The abilities of a Gemini model, which determine the settings in its requests. They are looked up by the model's id;
 * the option `rules` overrides single entries.
 */
export type ModelRules = {
  /** The form of the thinking setting: a level, a token budget, or none. */
  thinking: "level" | "budget" | "none";
  /** The levels of thinking, lowest first. */
  thinkingLevels: readonly ThinkingLevelName[];
  /** Smallest thinking budget in tokens; 0 if thinking can be disabled. */
  leastThinkingBudget: number;
  /** Largest thinking budget in tokens. */
  mostThinkingBudget: number;
  /** True if tool calls in the history must be sent with the thought signatures that Gemini gave them. */
  signatures: boolean;
  /**
   * True if the model accepts a response format together with tools. Otherwise the format becomes part of the
   * instructions.
   */
  formatWithTools: boolean;
  /** True if the model accepts images and PDF files inside tool results. Otherwise they follow the results. */
  mediaInResults: boolean;
};

/** A level of thinking, for models with levels instead of token budgets. */
export type ThinkingLevelName = "minimal" | "low" | "medium" | "high";

type Family = readonly [id: RegExp, differences: Partial<ModelRules>];

/** The rules for an unknown Gemini model: the rules of the newest model. */
const newest: ModelRules = {
  thinking: "level",
  thinkingLevels: ["low", "medium", "high"],
  leastThinkingBudget: 0,
  mostThinkingBudget: 24_576,
  signatures: true,
  formatWithTools: true,
  mediaInResults: true,
};

const elder = { thinking: "budget", signatures: false, formatWithTools: false, mediaInResults: false } as const;

/**
 * Rules that differ from the rules of the newest model, by model id. The rules of every matching pattern apply; later
 * rules override earlier rules.
 */
const families: readonly Family[] = [
  // Other or tuned models: only features that are not specific to Gemini.
  [/^(?!.*gemini)/, { ...elder, thinking: "none" }],
  // Gemini models of generations 1 and 2, also under names without a number.
  [/gemini-(?:1|2|exp|pro)(?!-latest|\d)/, elder],
  [/gemini-(?:1|2\.0|exp|pro)(?!-latest|\d)/, { thinking: "none" }],
  [/gemini-2\.5-pro/, { leastThinkingBudget: 128, mostThinkingBudget: 32_768 }],
  [/gemini-3.*flash/, { thinkingLevels: ["minimal", "low", "medium", "high"] }],
  [/gemini-3-pro/, { thinkingLevels: ["low", "high"] }],
  // Gemini models for images and speech.
  [/gemini-.*(?:image|tts)/, { thinking: "none" }],
];

/**
 * Returns the abilities of a model by its id, with overrides from the options. An unknown Gemini id counts as the
 * newest model. An id without `gemini` gets no feature that is specific to Gemini.
 */
export function rulesOf(modelId: string, overrides: Partial<ModelRules> = {}): ModelRules {
  const known = families.filter(([id]) => id.test(modelId)).map(([, differences]) => differences);
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined);
  return Object.assign({}, newest, ...known, Object.fromEntries(given)) as ModelRules;
}
