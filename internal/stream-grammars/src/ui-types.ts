/** A major version of the AI SDK whose UI message stream a grammar knows. */
export type UiMajor = 6 | 7;

/** The types of chunks that version 6 knows (`ai` 6.0.326), beside those that begin with `data-`. */
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

/** Those of version 7 (`ai` 7.0.173), which refuses a whole stream for an unknown one, as version 6 does. */
const typesOf7 = [...typesOf6, "tool-approval-response", "reset-step", "custom", "reasoning-file", "steering-message"];

const finishReasonsOf6 = ["stop", "length", "content-filter", "tool-calls", "error", "other"];

/** The types of chunks and the reasons of a finish that each version takes. */
export const uiVersions: Readonly<Record<UiMajor, { types: readonly string[]; finishReasons: readonly string[] }>> = {
  6: { types: typesOf6, finishReasons: finishReasonsOf6 },
  7: { types: typesOf7, finishReasons: [...finishReasonsOf6, "interrupted"] },
};
