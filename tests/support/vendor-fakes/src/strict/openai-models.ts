import type { JsonObject } from "../json-body.ts";
import { stringOrEmpty } from "../json-body.ts";
import { refuseIf } from "./checks.ts";
import type { Checks } from "./checks.ts";

/** Returns true for a reasoning model. */
export function isReasoningModel(body: JsonObject): boolean {
  return /^(?:o\d|grok|gpt-(?:[5-9]|\d{2,})(?!.*-chat))/.test(stringOrEmpty(body["model"]));
}

/** Checks that a reasoning model gets no sampling settings. */
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
