/** A major version of the AI SDK whose UI message stream a grammar knows. */
export type UiMajor = 6 | 7;

/** The chunk types of version 6 (`ai` 6.0.326), besides those that begin with `data-`. */
const typesOf6 = [
  "start",
  "start-step",
  "finish-step",
  "text-start",
  "text-delta",
  "text-end",
  "reasoning-start",
  "reasoning-delta",
  "reasoning-end",
  "tool-input-start",
  "tool-input-delta",
  "tool-input-available",
  "tool-input-error",
  "tool-approval-request",
  "tool-output-available",
  "tool-output-error",
  "tool-output-denied",
  "source-url",
  "source-document",
  "file",
  "message-metadata",
  "finish",
  "error",
  "abort",
];

/** The chunk types of version 7 (`ai` 7.0.173). Like version 6, it refuses a whole stream for an unknown type. */
const typesOf7 = [...typesOf6, "tool-approval-response", "reset-step", "custom", "reasoning-file", "steering-message"];

const finishReasonsOf6 = ["stop", "length", "content-filter", "tool-calls", "error", "other"];

/** The chunk types and finish reasons that each version accepts. */
export const uiVersions: Readonly<Record<UiMajor, { types: readonly string[]; finishReasons: readonly string[] }>> = {
  6: { types: typesOf6, finishReasons: finishReasonsOf6 },
  7: { types: typesOf7, finishReasons: [...finishReasonsOf6, "interrupted"] },
};
