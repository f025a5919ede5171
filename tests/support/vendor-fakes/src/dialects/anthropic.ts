import type { FinishReason } from "@troupe/core";
import type { RoutedRequest, Dialect, VendorReply, VendorAnswer } from "../dialect.ts";
import { objectOf, stringOrEmpty } from "../json-body.ts";
import { jsonReply, namedFrame, sseReply } from "../replies.ts";
import { bearerKey, pathOf } from "../request.ts";
import { sign } from "../signature.ts";
import { AnthropicCache } from "../strict/anthropic-cache.ts";
import { refuseAnthropic } from "../strict/anthropic.ts";
import { argumentsOf, toBlocks } from "../answer-blocks.ts";
import type { AnswerBlock, AnswerBlocks } from "../answer-blocks.ts";
import { anthropicError, failAsAnthropic } from "./anthropic-errors.ts";
import { citationsIn, containerOf, hostedBlocks } from "./anthropic-hosted.ts";
import type { HostedBlock } from "./anthropic-hosted.ts";
import { signThinking, withThinking } from "./anthropic-thinking.ts";

/** Anthropic's Messages API. */
export const anthropic: Dialect = {
  name: "anthropic",
  route(request) {
    if (!pathOf(request).endsWith("/v1/messages")) return undefined;
    const { model, stream } = objectOf(request.body);
    return { kind: "chat", modelId: stringOrEmpty(model), stream: stream === true };
  },
  // The header x-api-key has priority over a bearer token.
  keyOf: (request) => request.headers["x-api-key"] ?? bearerKey(request),
  answer: (answer, routed) => (routed.route.stream ? streamed(answer, routed) : whole(answer, routed)),
  fail: failAsAnthropic,
  failFrame: (failure) => namedFrame(anthropicError(failure)),
  refuse: refuseAnthropic,
  createCache: (now) => new AnthropicCache(now),
};

function whole(answer: VendorAnswer, routed: RoutedRequest): VendorReply {
  const parts = toBlocks(answer);
  const said = withThinking(parts, routed).map((block) => toContent(block, routed, parts));
  const thoughts = said.filter(({ type }) => type === "thinking").length;
  return jsonReply({
    ...messageHead(routed),
    content: said.toSpliced(thoughts, 0, ...hostedBlocks(parts, routed)),
    ...containerOf(parts),
    ...endOf(parts),
    usage: { ...toUsage(parts, routed), ...cacheCreation(routed) },
  });
}

function streamed(answer: VendorAnswer, routed: RoutedRequest): VendorReply {
  const parts = toBlocks(answer);
  const begun = { ...messageHead(routed), content: [], stop_reason: null, stop_sequence: null, stop_details: null };
  const usage = toUsage(parts, routed);
  const events = [
    {
      type: "message_start",
      message: {
        ...begun,
        usage: { ...usage, ...cacheCreation(routed), output_tokens: 1, output_tokens_details: null },
      },
    },
    { type: "ping" },
    ...contentEvents(parts, routed),
    { type: "message_delta", delta: { ...endOf(parts), ...containerOf(parts) }, usage },
    { type: "message_stop" },
  ];
  return sseReply(events.map(namedFrame), 2);
}

/** Returns the events of all blocks: thinking, the vendor's own tools, text and calls. */
function contentEvents(parts: AnswerBlocks, routed: RoutedRequest): { type: string }[] {
  const blocks = withThinking(parts, routed);
  const said = blocks.map((block) => blockEvents(block, routed, parts));
  const thoughts = blocks.filter(({ type }) => type === "thinking").length;
  const hosted = hostedBlocks(parts, routed).map(hostedEvents);
  return said
    .toSpliced(thoughts, 0, ...hosted)
    .flatMap((events, index) => events.map((event) => ({ ...event, index })));
}

/** Returns the events of a block. The input of a call is streamed; a result is sent whole. */
function hostedEvents(block: HostedBlock): { type: string }[] {
  const isCall = block["type"] === "server_tool_use";
  const input = isCall ? JSON.stringify(block["input"]) : "";
  const pieces = isCall ? ["", input.slice(0, 5), input.slice(5)] : [];
  return [
    { type: "content_block_start", content_block: isCall ? { ...block, input: {} } : block },
    ...pieces.map((piece) => ({ type: "content_block_delta", delta: toInputDelta(piece) })),
    { type: "content_block_stop" },
  ] as { type: string }[];
}

function blockEvents(block: AnswerBlock, routed: RoutedRequest, parts: AnswerBlocks): { type: string }[] {
  const delta = (fields: object) => ({ type: "content_block_delta", delta: fields });
  const citations = block.type === "text" ? citationsIn(parts) : [];
  const deltas = { thinking: toThinkingDelta, text: toTextDelta, call: toInputDelta };
  return [
    { type: "content_block_start", content_block: emptyContent(block) },
    // The first piece of a call's input is empty.
    ...(block.type === "call" ? [delta(toInputDelta(""))] : []),
    ...block.pieces.map((piece) => delta(deltas[block.type](piece))),
    ...citations.map((citation) => delta({ type: "citations_delta", citation })),
    ...(block.type === "thinking" ? [delta({ type: "signature_delta", signature: signatureOf(block, routed) })] : []),
    { type: "content_block_stop" },
  ] as { type: string }[];
}

const toThinkingDelta = (thinking: string) => ({ type: "thinking_delta", thinking });
const toTextDelta = (text: string) => ({ type: "text_delta", text });
const toInputDelta = (json: string) => ({ type: "input_json_delta", partial_json: json });

function emptyContent(block: AnswerBlock): { type: string } {
  if (block.type === "thinking") return contentOf("thinking", { thinking: "", signature: "" });
  if (block.type === "text") return contentOf("text", { text: "" });
  return contentOf("tool_use", { id: block.id, name: block.name, input: {}, caller: { type: "direct" } });
}

function toContent(block: AnswerBlock, routed: RoutedRequest, parts: AnswerBlocks): { type: string } {
  const said = block.pieces.join("");
  if (block.type === "thinking")
    return contentOf("thinking", { thinking: said, signature: signatureOf(block, routed) });
  const citations = citationsIn(parts);
  if (block.type === "text")
    return contentOf("text", { text: said, citations: citations.length > 0 ? citations : null });
  return Object.assign(emptyContent(block), { input: argumentsOf(block) });
}

function contentOf(type: string, fields: object): { type: string } {
  return { type, ...fields };
}

function signatureOf(block: AnswerBlock, { request }: RoutedRequest): string {
  return signThinking(block.pieces.join(""), request.body);
}

function messageHead({ route, request }: RoutedRequest): object {
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

function endOf({ finishReason }: AnswerBlocks): object {
  const isRefused = finishReason === "content_filter";
  const details = isRefused ? { type: "refusal", category: null, explanation: null } : null;
  return { stop_reason: reasons[finishReason], stop_sequence: null, stop_details: details };
}

/** Returns the usage. `input_tokens` excludes tokens that are read from the cache or written to it. */
function toUsage({ usage }: AnswerBlocks, { cached }: RoutedRequest) {
  const { prompt, read, write } = cached ?? { prompt: usage.promptTokens, read: usage.cachedTokens, write: 0 };
  return {
    input_tokens: prompt - read - write,
    cache_creation_input_tokens: write,
    cache_read_input_tokens: read,
    output_tokens: usage.completionTokens,
    output_tokens_details: { thinking_tokens: usage.reasoningTokens },
  };
}

/**
 * Returns the usage field that counts written tokens by their lifetime. The last count of a stream does not have it.
 */
function cacheCreation({ cached }: RoutedRequest): object {
  if (cached === undefined) return { cache_creation: null };
  const { write, hourWrite } = cached;
  return {
    cache_creation: { ephemeral_5m_input_tokens: write - hourWrite, ephemeral_1h_input_tokens: hourWrite },
  };
}
