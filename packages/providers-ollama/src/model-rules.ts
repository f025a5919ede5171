/** What a model takes. What it does not take is left out of a request. */
export type ModelRules = {
  /** How it is told to think: as much as one of three levels says, on and off, or not at all. */
  thinking: "levels" | "switch" | "none";
  /** Whether it can call tools. */
  tools: boolean;
};

/** The rules of a model, with what the configuration says otherwise. The name tells little: anybody can make a model. */
export function rulesOf(modelId: string, { thinking, tools }: Partial<ModelRules> = {}): ModelRules {
  return { thinking: thinking ?? (/gpt-oss/.test(modelId) ? "levels" : "switch"), tools: tools ?? true };
}
