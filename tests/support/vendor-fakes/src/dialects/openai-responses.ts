import type { FinishReason } from "@troupe/core";
import type { RoutedRequest, Dialect, VendorFailure, VendorReply, VendorAnswer } from "../dialect.ts";
import { objectOf, stringOrEmpty } from "../json-body.ts";
import { jsonReply, namedFrame, sseReply } from "../replies.ts";
import { bearerKey, pathOf } from "../request.ts";
import { sign } from "../signature.ts";
import { refuseOpenaiResponses } from "../strict/openai-responses.ts";
import { toBlocks } from "../answer-blocks.ts";
import type { AnswerBlocks } from "../answer-blocks.ts";
import { failAsOpenai, openaiError } from "./openai-errors.ts";
import { itemEvents } from "./openai-response-events.ts";
import type { ResponseEvent } from "./openai-response-events.ts";
import { toItems } from "./openai-response-items.ts";

/** OpenAI's Responses API, without storage at the vendor. */
export const openaiResponses: Dialect = {
  name: "openai-responses",
  route(request) {
    if (!pathOf(request).endsWith("/responses")) return undefined;
    const { model, stream } = objectOf(request.body);
    return { kind: "chat", modelId: stringOrEmpty(model), stream: stream === true };
  },
  keyOf: bearerKey,
  answer: (answer, routed) => (routed.route.stream ? streamed(answer, routed) : whole(answer, routed)),
  fail: failAsOpenai,
  failFrame,
  refuse: ({ body }) => refuseOpenaiResponses(body),
};

function whole(answer: VendorAnswer, routed: RoutedRequest): VendorReply {
  return jsonReply(finished(toBlocks(answer), routed));
}

function streamed(answer: VendorAnswer, routed: RoutedRequest): VendorReply {
  const parts = toBlocks(answer);
  const begun = inProgress(routed);
  const end = finished(parts, routed);
  const events: ResponseEvent[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...end.output.flatMap((item, index) => itemEvents(item, index, parts)),
    { type: `response.${end.status}`, response: end },
  ];
  return sseReply(events.map(numbered), 1);
}

function numbered({ type, ...rest }: ResponseEvent, index: number): string {
  return namedFrame({ type, sequence_number: index, ...rest });
}

function inProgress({ route, request }: RoutedRequest): object {
  return {
    id: `resp_${sign("response", request.body)}`,
    object: "response",
    created_at: 1_795_000_000,
    status: "in_progress",
    model: route.modelId,
    error: null,
    incomplete_details: null,
    output: [],
    usage: null,
  };
}

function finished(parts: AnswerBlocks, routed: RoutedRequest) {
  return {
    ...inProgress(routed),
    ...endings[parts.finishReason],
    output: toItems(parts, routed),
    usage: toUsage(parts),
  };
}

type Ending = { status: "completed" | "incomplete" | "failed"; [field: string]: unknown };

const completed: Ending = { status: "completed" };
const incomplete = (reason: string): Ending => ({ status: "incomplete", incomplete_details: { reason } });

const endings: Readonly<Record<FinishReason, Ending>> = {
  stop: completed,
  tool_calls: completed,
  tool_roundtrips: completed,
  length: incomplete("max_output_tokens"),
  content_filter: incomplete("content_filter"),
  other: incomplete("steered"),
  error: { status: "failed", error: { code: "server_error", message: "The server had an error." } },
};

function toUsage({ usage }: AnswerBlocks): object {
  return {
    input_tokens: usage.promptTokens,
    input_tokens_details: { cached_tokens: usage.cachedTokens, cache_write_tokens: 0 },
    output_tokens: usage.completionTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.totalTokens,
  };
}

/** Returns the two events of a failure within a stream. */
function failFrame(failure: VendorFailure, framesBefore: number): string {
  const error = openaiError(failure);
  const response = { object: "response", status: "failed", error: { code: error.code, message: error.message } };
  const events = [
    { type: "error", error },
    { type: "response.failed", response: { ...response, output: [], usage: null } },
  ];
  return events.map((event, index) => numbered(event, framesBefore + index)).join("");
}
