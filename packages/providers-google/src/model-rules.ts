/** The abilities of a model. A table knows them by its id; these override it. */
export type ModelRules = {
  /** The form of the setting for thinking: a level, a budget of tokens, or none. */
  thinking: "level" | "budget" | "none";
  /** The levels of thinking, lowest first. */
  thinkingLevels: readonly ("low" | "medium" | "high")[];
  /** The least budget for thinking; 0 turns it off. */
  leastThinkingBudget: number;
  /** The largest budget for thinking. */
  mostThinkingBudget: number;
  /** True when calls in the history must carry the signatures of their thoughts. */
  signatures: boolean;
  /** True when the model takes a response format together with tools. Otherwise the format goes into the instructions. */
  formatWithTools: boolean;
};
