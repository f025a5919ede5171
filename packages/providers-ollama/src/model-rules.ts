/** The abilities of a model. Settings that it does not take are left out of a request. */
export type ModelRules = {
  /** The form of the setting for thinking: a level, on and off, or none. */
  thinking: "levels" | "switch" | "none";
  /** True when the model can call tools. */
  tools: boolean;
};

/** Returns the rules of a model, with overrides. Names tell little: users name their own models. */
export function rulesOf(modelId: string, { thinking, tools }: Partial<ModelRules> = {}): ModelRules {
  return { thinking: thinking ?? (/gpt-oss/.test(modelId) ? "levels" : "switch"), tools: tools ?? true };
}
