/**
 * The abilities of a Gemini model, which decide the settings that its requests carry. Found by the model's id; the
 * option `rules` overrides single entries.
 */
export type ModelRules = {
  /** The form of the setting for thinking: a level, a budget of tokens, or none. */
  thinking: "level" | "budget" | "none";
  /** The levels of thinking, lowest first. */
  thinkingLevels: readonly ThinkingLevelName[];
  /** The least budget for thinking; 0 turns it off. */
  leastThinkingBudget: number;
  /** The largest budget for thinking. */
  mostThinkingBudget: number;
  /** True when calls in the history must carry the signatures of their thoughts. */
  signatures: boolean;
  /** True when the model takes a response format together with tools. Otherwise the format goes into the instructions. */
  formatWithTools: boolean;
  /** True when the model takes images and PDF within the results of tools. Otherwise they follow the results. */
  mediaInResults: boolean;
};

/** A level of thinking, for models that take a level and not a budget of tokens. */
export type ThinkingLevelName = "minimal" | "low" | "medium" | "high";

type Family = readonly [id: RegExp, differences: Partial<ModelRules>];

/** The rules for a Gemini model that the table does not know: those of the newest. */
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

/** Differences by id. Every match applies, later ones over earlier ones. */
const families: readonly Family[] = [
  // Other or tuned models: nothing that only Gemini knows.
  [/^(?!.*gemini)/, { ...elder, thinking: "none" }],
  // Generations 1 and 2, and their names without a number.
  [/gemini-(?:1|2|exp|pro)(?!-latest|\d)/, elder],
  [/gemini-(?:1|2\.0|exp|pro)(?!-latest|\d)/, { thinking: "none" }],
  [/gemini-2\.5-pro/, { leastThinkingBudget: 128, mostThinkingBudget: 32_768 }],
  [/gemini-3.*flash/, { thinkingLevels: ["minimal", "low", "medium", "high"] }],
  [/gemini-3-pro/, { thinkingLevels: ["low", "high"] }],
  // Models for images and speech.
  [/gemini-.*(?:image|tts)/, { thinking: "none" }],
];

/**
 * Returns the abilities of a model by its id, with overrides from the options. A Gemini id that is not known counts as
 * the newest model; an id without `gemini` gets nothing that only Gemini has.
 */
export function rulesOf(modelId: string, overrides: Partial<ModelRules> = {}): ModelRules {
  const known = families.filter(([id]) => id.test(modelId)).map(([, differences]) => differences);
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined);
  return Object.assign({}, newest, ...known, Object.fromEntries(given)) as ModelRules;
}
