/**
 * The abilities of a Gemini model, known by its id from a table. The option `rules` of `google` overrides single
 * entries.
 */
export type ModelRules = {
  /** The form of the setting for thinking: a level, a budget of tokens, or none. */
  thinking: "level" | "budget" | "none";
  /** The levels of thinking, lowest first. */
  thinkingLevels: readonly ("minimal" | "low" | "medium" | "high")[];
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
