import type { Attributes } from "@opentelemetry/api";
import { TroupeError } from "@troupe/core";
import type { Operations } from "@troupe/core/service";
import { attributes as names } from "./names.ts";
import { defined, usageAttributes } from "./span-facts.ts";
import type { SpanRules } from "./span-facts.ts";

/**
 * The attributes that an operation adds to its span at its end. `errorType` is the type of its failure; undefined
 * without a failure.
 */
type SpanEnd = { readonly attributes: Attributes; readonly errorType?: string | undefined };

type Ends = {
  readonly [Name in keyof Operations]: (
    facts: Operations[Name]["end"],
    begun: Operations[Name]["begin"],
    rules: SpanRules,
  ) => SpanEnd;
};

/** The functions that end the span of each operation. A cancelled or paused operation has not failed. */
export const spanEnds: Ends = {
  run({ status, usage, error }, { kind }, rules) {
    return {
      attributes: {
        [names.status]: status,
        [names.runInputTokens]: usage.promptTokens,
        [names.runOutputTokens]: usage.completionTokens,
        // Only the run of a remote agent has token counts here. The token counts of other runs are on the spans of
        // their model calls, so that a sum over all spans counts each token once.
        ...(kind === "remote" && usageAttributes(usage, rules)),
      },
      errorType: status === "error" ? codeOf(error) : undefined,
    };
  },
  model({ usage, answer, isCancelled = false, error }, _begun, rules) {
    const { model, answeredBy, responseId, finishReason } = answer ?? {};
    return {
      attributes: defined({
        ...usageAttributes(usage, rules),
        [names.responseModel]: model ?? answeredBy?.modelId,
        [names.responseId]: responseId,
        [names.finishReasons]: finishReason === undefined ? undefined : [finishReason],
        [names.status]: isCancelled ? "cancelled" : undefined,
      }),
      errorType: error === undefined || isCancelled ? undefined : codeOf(error),
    };
  },
  tool({ failure, isPaused = false, error }) {
    if (isPaused) return { attributes: { [names.status]: "paused" } };
    return { attributes: {}, errorType: failure === undefined ? typeOf(error) : "tool_error" };
  },
  step: ({ error }) => ({ attributes: {}, errorType: typeOf(error) }),
  memory: ({ error, count }) => ({ attributes: defined({ [names.memoryCount]: count }), errorType: typeOf(error) }),
  embeddings: ({ error, dimensions }) => ({
    attributes: defined({ [names.dimensions]: dimensions }),
    errorType: typeOf(error),
  }),
  retrieval: ({ error }) => ({ attributes: {}, errorType: typeOf(error) }),
  mcp: ({ error, isToolError = false }) => ({ attributes: {}, errorType: isToolError ? "tool_error" : typeOf(error) }),
  accept: ({ error }) => ({ attributes: {}, errorType: typeOf(error) }),
};

function typeOf(error: unknown): string | undefined {
  return error === undefined ? undefined : codeOf(error);
}

/** Returns the code of an error. Its message may quote a prompt or a key, so it is not recorded. */
function codeOf(error: unknown): string {
  return TroupeError.is(error) ? error.code : "internal";
}
