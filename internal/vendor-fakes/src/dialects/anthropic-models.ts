/** What a model of Anthropic's allows; one that nobody knows yet is taken for one of the newest. */
export type ModelTraits = {
  /** Takes `temperature` under the interface of old, and thinking with a budget. */
  isElder: boolean;
  /** Takes adaptive thinking, and no last message of the assistant's. */
  isAdaptive: boolean;
  /** Binds a thinking block to all that stood before it. */
  bindsThinking: boolean;
  /** Takes no `tool_choice` that forces a call. */
  refusesForcedTools: boolean;
};

const elder = /claude-(?:3|(?:opus|sonnet|haiku)-4-(?:[0-6](?!\d)|20\d{6})|instant|2)/;
const binding = /(?:opus|sonnet|haiku)-5-5|fable-5-[1-9](?!\d)/;
const before = /claude-(?:[0-3]|instant|(?:opus|sonnet|haiku)-[3-5]|fable-5)/;

/** Looks up what a model allows. */
export function modelTraits(modelId: string): ModelTraits {
  const isNew = binding.test(modelId) || !before.test(modelId);
  const isElder = elder.test(modelId);
  return {
    isElder,
    isAdaptive: !isElder || modelId.includes("-4-6"),
    bindsThinking: isNew,
    refusesForcedTools: isNew && !modelId.includes("haiku"),
  };
}
