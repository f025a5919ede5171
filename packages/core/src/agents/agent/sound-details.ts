import type { AnsweringModel, FinishReason } from "../../model/model-chunk.ts";
import type { ModelResponse } from "../../model/model-response.ts";
import { isRecord } from "../../base/util/is-record.ts";

/** The maximum length of a response's id and of a vendor's or model's name, in UTF-16 units. */
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
 * Returns the fields of a model's response other than its content and usage. Fields that have the wrong type or cannot
 * be stored are omitted, because all other fields are shown and stored without changes. An unknown finish reason
 * becomes `other`.
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
