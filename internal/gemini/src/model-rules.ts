/** What a model takes. The table below knows it by the model's id; `rules` in the options overrides single entries. */
export type ModelRules = {
  /** How it is told to think: at a level, within a budget of tokens, or not at all. */
  thinking: "level" | "budget" | "none";
  /** The levels that it knows, lowest first. */
  thinkingLevels: readonly ThinkingLevelName[];
  /** The least budget that it takes; 0 turns its thinking off. */
  leastThinkingBudget: number;
  /** The most that it takes. */
  mostThinkingBudget: number;
  /** Whether it wants the signatures of its thoughts back with the calls that they led to. */
  signatures: boolean;
  /** Whether it answers in JSON though it has tools; else the form of the answer stands in the instructions. */
  formatWithTools: boolean;
};

/** How hard a model is to think. */
export type ThinkingLevelName = "low" | "medium" | "high";

type Family = readonly [id: RegExp, differences: Partial<ModelRules>];

/** A model of Gemini that nobody knows yet is like the newest. */
const newest: ModelRules = {
  thinking: "level",
  thinkingLevels: ["low", "medium", "high"],
  leastThinkingBudget: 0,
  mostThinkingBudget: 24_576,
  signatures: true,
  formatWithTools: true,
};

const elder = { thinking: "budget", signatures: false, formatWithTools: false } as const;

/** All that fit count, the later ones more. */
const families: readonly Family[] = [
  // Somebody else's, or tuned by somebody: it is asked for nothing that only Gemini knows.
  [/^(?!.*gemini)/, { ...elder, thinking: "none" }],
  // Generations 1 and 2, and the names of their time that have no number.
  [/gemini-(?:1|2|exp|pro)(?!-latest|\d)/, elder],
  [/gemini-(?:1|2\.0|exp|pro)(?!-latest|\d)/, { thinking: "none" }],
  [/gemini-2\.5-pro/, { leastThinkingBudget: 128, mostThinkingBudget: 32_768 }],
  [/gemini-3-pro/, { thinkingLevels: ["low", "high"] }],
  // Those that draw or speak.
  [/gemini-.*(?:image|tts)/, { thinking: "none" }],
];

/** The rules of a model, with what the configuration says otherwise. */
export function rulesOf(modelId: string, overrides: Partial<ModelRules> = {}): ModelRules {
  const known = families.filter(([id]) => id.test(modelId)).map(([, differences]) => differences);
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined);
  return Object.assign({}, newest, ...known, Object.fromEntries(given)) as ModelRules;
}
