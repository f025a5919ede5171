import type { JsonObject } from "../json-body.ts";
import { wordOf } from "../json-body.ts";
import { refuseIf } from "./first-refusal.ts";
import type { Checks } from "./first-refusal.ts";

/** Whether a model of OpenAI's reasons. */
export function isReasoningModel(body: JsonObject): boolean {
  return /^(?:o\d|gpt-(?:[5-9]|\d{2,})(?!.*-chat))/.test(wordOf(body["model"]));
}

/** A model that reasons chooses its words itself. */
export function* samplingChecks(body: JsonObject): Checks {
  if (!isReasoningModel(body)) return;
  for (const field of ["temperature", "top_p"]) {
    const isSet = body[field] !== undefined && body[field] !== 1;
    yield refuseIf(
      isSet,
      `Unsupported value: '${field}' does not support ${String(body[field])} with this model. Only the default (1) value is supported.`,
      field,
    );
  }
}
