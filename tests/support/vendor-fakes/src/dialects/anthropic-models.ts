/** Abilities of an Anthropic model. Unknown models count as the newest ones. */
export type ModelTraits = {
  /** True if the model accepts `temperature` under the older API version, and thinking with a budget. */
  isOlder: boolean;
  /** True if the model accepts adaptive thinking, and no final assistant message. */
  isAdaptive: boolean;
  /** True if the model binds a thinking block to all messages before it. */
  bindsThinking: boolean;
  /** True if the model refuses a `tool_choice` that forces a call. */
  refusesForcedTools: boolean;
};

const older = /claude-(?:3|(?:opus|sonnet|haiku)-4-(?:[0-6](?!\d)|20\d{6})|instant|2)/;
const binding = /(?:opus|sonnet|haiku)-5-5|fable-5-[1-9](?!\d)/;
const before = /claude-(?:[0-3]|instant|(?:opus|sonnet|haiku)-[3-5]|fable-5)/;

/** Returns the abilities of a model. */
export function modelTraits(modelId: string): ModelTraits {
  const isNew = binding.test(modelId) || !before.test(modelId);
  const isOlder = older.test(modelId);
  return {
    isOlder,
    isAdaptive: !isOlder || modelId.includes("-4-6"),
    bindsThinking: isNew,
    refusesForcedTools: isNew && !modelId.includes("haiku"),
  };
}
