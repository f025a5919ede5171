import type { AnsweringModel, FinishReason } from "../../model/model-chunk.ts";
import type { ModelResponse } from "../../model/model-response.ts";
import { isRecord } from "../../base/util/is-record.ts";

/** The longest id of a response, and the longest name of a vendor or a model, in UTF-16 units. */
const maxNameLength = 1024;

const finishReasons: readonly unknown[] = [
  "stop",
  "length",
  "tool_calls",
  "content_filter",
  "tool_roundtrips",
  "error",
  "other",
] satisfies FinishReason[];

type Details = Pick<ModelResponse, "finishReason" | "sources" | "skippedCalls" | "responseId" | "model" | "answeredBy">;

/**
 * Returns what a response has beside its content and its usage, without what is not of its type or could not be stored:
 * these are shown and kept unmodified.
 */
export function soundDetails(response: ModelResponse): Details {
  const { finishReason, sources, skippedCalls, responseId, model, answeredBy } = response;
  return {
    finishReason: finishReasons.includes(finishReason) ? finishReason : "other",
    ...(Array.isArray(sources) && { sources }),
    ...(Number.isSafeInteger(skippedCalls) && { skippedCalls: skippedCalls as number }),
    ...(isName(responseId) && { responseId }),
    ...(isName(model) && { model }),
    ...(isAnsweringModel(answeredBy) && {
      answeredBy: { providerId: answeredBy.providerId, modelId: answeredBy.modelId },
    }),
  };
}

function isName(name: unknown): name is string {
  return typeof name === "string" && name.length <= maxNameLength && name.isWellFormed();
}

function isAnsweringModel(given: unknown): given is AnsweringModel {
  return isRecord(given) && isName(given["providerId"]) && isName(given["modelId"]);
}
