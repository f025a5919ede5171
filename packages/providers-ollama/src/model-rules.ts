/**
 * The abilities of an Ollama model, which the option `rules` can set. A request omits the settings that the model does
 * not support.
 */
export type ModelRules = {
  /** The form of the thinking setting: a level, on and off, or none. */
  thinking: "levels" | "switch" | "none";
  /** True if the model can call tools. */
  tools: boolean;
};

/**
 * Returns the abilities of a model, with overrides from the options. By default, a model is assumed to think and to
 * call tools, because users name their own models and the name reveals little.
 */
export function rulesOf(modelId: string, { thinking, tools }: Partial<ModelRules> = {}): ModelRules {
  return { thinking: thinking ?? (/gpt-oss/.test(modelId) ? "levels" : "switch"), tools: tools ?? true };
}
