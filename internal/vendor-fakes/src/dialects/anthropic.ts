import type { FinishReason } from "@troupe/core";
import type { Asked, Dialect, VendorReply, VendorTurn } from "../dialect.ts";
import { objectOf, wordOf } from "../json-body.ts";
import { jsonReply } from "../json-reply.ts";
import { bearerKey, pathOf } from "../request-path.ts";
import { sign } from "../signature.ts";
import { namedFrame, sseReply } from "../sse-reply.ts";
import { refuseAnthropic } from "../strict/anthropic.ts";
import { argumentsOf, toBlocks } from "../turn-blocks.ts";
import type { TurnBlock, TurnBlocks } from "../turn-blocks.ts";
import { anthropicError, failAsAnthropic } from "./anthropic-errors.ts";
import { signThinking, withThinking } from "./anthropic-thinking.ts";

/** Anthropic's Messages. */
export const anthropic: Dialect = {
  name: "anthropic",
  route(request) {
    if (!pathOf(request).endsWith("/v1/messages")) return undefined;
    const { model, stream } = objectOf(request.body);
    return { kind: "chat", modelId: wordOf(model), stream: stream === true };
  },
  // Where both stand, the header of old wins.
  keyOf: (request) => request.headers["x-api-key"] ?? bearerKey(request),
  answer: (turn, asked) => (asked.route.stream ? streamed(turn, asked) : whole(turn, asked)),
  fail: failAsAnthropic,
  failFrame: (failure) => namedFrame(anthropicError(failure)),
  refuse: refuseAnthropic,
};

function whole(turn: VendorTurn, asked: Asked): VendorReply {
  const parts = toBlocks(turn);
  const content = withThinking(parts, asked).map((block) => toContent(block, asked));
  return jsonReply({ ...messageHead(asked), content, ...endOf(parts), usage: toUsage(parts) });
}

function streamed(turn: VendorTurn, asked: Asked): VendorReply {
  const parts = toBlocks(turn);
  const begun = { ...messageHead(asked), content: [], stop_reason: null, stop_sequence: null, stop_details: null };
  const usage = toUsage(parts);
  const events = [
    {
      type: "message_start",
      message: { ...begun, usage: { ...usage, output_tokens: 1, output_tokens_details: null } },
    },
    { type: "ping" },
    ...withThinking(parts, asked).flatMap((block, index) => blockEvents(block, index, asked)),
    { type: "message_delta", delta: endOf(parts), usage },
    { type: "message_stop" },
  ];
  return sseReply(events.map(namedFrame), 2);
}

function blockEvents(block: TurnBlock, index: number, asked: Asked): { type: string }[] {
  const delta = (fields: object) => ({ type: "content_block_delta", index, delta: fields });
  const deltas = { thinking: toThinkingDelta, text: toTextDelta, call: toInputDelta };
  return [
    { type: "content_block_start", index, content_block: emptyContent(block) },
    // The first piece of a call's input is an empty one.
    ...(block.type === "call" ? [delta(toInputDelta(""))] : []),
    ...block.pieces.map((piece) => delta(deltas[block.type](piece))),
    ...(block.type === "thinking" ? [delta({ type: "signature_delta", signature: signatureOf(block, asked) })] : []),
    { type: "content_block_stop", index },
  ] as { type: string }[];
}

const toThinkingDelta = (thinking: string) => ({ type: "thinking_delta", thinking });
const toTextDelta = (text: string) => ({ type: "text_delta", text });
const toInputDelta = (json: string) => ({ type: "input_json_delta", partial_json: json });

function emptyContent(block: TurnBlock): object {
  if (block.type === "thinking") return { type: "thinking", thinking: "", signature: "" };
  if (block.type === "text") return { type: "text", text: "" };
  return { type: "tool_use", id: block.id, name: block.name, input: {}, caller: { type: "direct" } };
}

function toContent(block: TurnBlock, asked: Asked): object {
  const said = block.pieces.join("");
  if (block.type === "thinking") return { type: "thinking", thinking: said, signature: signatureOf(block, asked) };
  if (block.type === "text") return { type: "text", text: said, citations: null };
  return { ...emptyContent(block), input: argumentsOf(block) };
}

function signatureOf(block: TurnBlock, { request }: Asked): string {
  return signThinking(block.pieces.join(""), request.body);
}

function messageHead({ route, request }: Asked): object {
  return {
    id: `msg_${sign("message", request.body)}`,
    type: "message",
    role: "assistant",
    model: route.modelId,
    container: null,
    diagnostics: null,
  };
}

const reasons: Readonly<Record<FinishReason, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal",
  tool_roundtrips: "end_turn",
  error: "pause_turn",
  other: "pause_turn",
};

function endOf({ finishReason }: TurnBlocks): object {
  const isRefused = finishReason === "content_filter";
  const details = isRefused ? { type: "refusal", category: null, explanation: null } : null;
  return { stop_reason: reasons[finishReason], stop_sequence: null, stop_details: details };
}

/** What was read from the cache is not counted among the input. */
function toUsage({ usage }: TurnBlocks) {
  return {
    input_tokens: usage.promptTokens - usage.cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cachedTokens,
    output_tokens: usage.completionTokens,
    output_tokens_details: { thinking_tokens: usage.reasoningTokens },
  };
}
