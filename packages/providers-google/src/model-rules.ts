/** The abilities of a Gemini model, looked up by its id. The option `rules` of `google` overrides single entries. */
export type ModelRules = {
  /** The form of the thinking setting: a level, a token budget, or none. */
  thinking: "level" | "budget" | "none";
  /** The levels of thinking, lowest first. */
  thinkingLevels: readonly ("minimal" | "low" | "medium" | "high")[];
  /** Smallest thinking budget in tokens; 0 if thinking can be disabled. */
  leastThinkingBudget: number;
  /** Largest thinking budget in tokens. */
  mostThinkingBudget: number;
  /** True if calls in the history must carry the signatures of their thoughts. */
  signatures: boolean;
  /**
   * True if the model accepts a response format together with tools. Otherwise the format becomes part of the
   * instructions.
   */
  formatWithTools: boolean;
  /** True if the model accepts images and PDF files inside tool results. Otherwise they follow the results. */
  mediaInResults: boolean;
};
