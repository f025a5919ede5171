/** What a model takes, where it differs from the table that knows it by its id. */
export type ModelRules = {
  /** How it is told to think: at a level, within a budget of tokens, or not at all. */
  thinking: "level" | "budget" | "none";
  /** The levels that it knows, lowest first. */
  thinkingLevels: readonly ("low" | "medium" | "high")[];
  /** The least budget that it takes; 0 turns its thinking off. */
  leastThinkingBudget: number;
  /** The most that it takes. */
  mostThinkingBudget: number;
  /** Whether it wants the signatures of its thoughts back with the calls that they led to. */
  signatures: boolean;
  /** Whether it answers in JSON though it has tools; else the form of the answer stands in the instructions. */
  formatWithTools: boolean;
};
