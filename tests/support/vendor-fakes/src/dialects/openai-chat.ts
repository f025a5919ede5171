import type { FinishReason } from "@troupe/core";
import type { RoutedRequest, Dialect, VendorReply, VendorAnswer } from "../dialect.ts";
import { objectOf, stringOrEmpty } from "../json-body.ts";
import { jsonReply, dataFrame, sseReply } from "../replies.ts";
import { bearerKey, pathOf } from "../request.ts";
import { refuseOpenaiChat } from "../strict/openai-chat.ts";
import { refuseOpenaiEmbeddings } from "../strict/openai-embeddings.ts";
import { callsIn, textIn, toBlocks } from "../answer-blocks.ts";
import type { AnswerBlock, AnswerBlocks } from "../answer-blocks.ts";
import { openaiEmbeddings } from "./openai-embeddings.ts";
import { failAsOpenai, openaiError } from "./openai-errors.ts";

/** Chat Completions and embeddings of OpenAI and of compatible servers. */
export const openaiChat: Dialect = {
  name: "openai-chat",
  route(request) {
    const { model, stream } = objectOf(request.body);
    const [path, modelId] = [pathOf(request), stringOrEmpty(model)];
    if (path.endsWith("/chat/completions")) return { kind: "chat", modelId, stream: stream === true };
    return path.endsWith("/embeddings") ? { kind: "embeddings", modelId, stream: false } : undefined;
  },
  keyOf: bearerKey,
  answer: (answer, routed) => (routed.route.stream ? streamed(answer, routed) : whole(answer, routed)),
  fail: failAsOpenai,
  failFrame: (failure) => dataFrame({ error: openaiError(failure) }),
  refuse: ({ body }, { kind }) => (kind === "chat" ? refuseOpenaiChat(body) : refuseOpenaiEmbeddings(body)),
  embeddings: openaiEmbeddings,
};

function whole(answer: VendorAnswer, { route }: RoutedRequest): VendorReply {
  const parts = toBlocks(answer);
  const [text, thinking] = [textIn(parts, "text"), textIn(parts, "thinking")];
  const calls = callsIn(parts).map(({ id, name, pieces }) => ({
    id,
    type: "function",
    function: { name, arguments: pieces.join("") },
  }));
  const message = {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    refusal: null,
    ...(thinking !== "" && { reasoning_content: thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  const choice = { index: 0, message, logprobs: null, finish_reason: reasons[parts.finishReason] };
  return jsonReply({ ...headOf("chat.completion", route.modelId), choices: [choice], usage: toUsage(parts) });
}

function streamed(answer: VendorAnswer, { route, request }: RoutedRequest): VendorReply {
  const parts = toBlocks(answer);
  const isCounted = objectOf(objectOf(request.body)["stream_options"])["include_usage"] === true;
  const head = { ...headOf("chat.completion.chunk", route.modelId), ...(isCounted && { usage: null }) };
  const frame = (delta: object, finishReason: string | null = null): string =>
    dataFrame({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }] });
  const end = [
    frame({}, reasons[parts.finishReason]),
    ...(isCounted ? [dataFrame({ ...head, choices: [], usage: toUsage(parts) })] : []),
    "data: [DONE]\n\n",
  ];
  const said = [{ role: "assistant", content: "" }, ...deltas(parts.blocks)].map((delta) => frame(delta));
  return sseReply([...said, ...end], end.length);
}

function* deltas(blocks: readonly AnswerBlock[]): Generator<object> {
  let index = -1;
  for (const block of blocks) {
    if (block.type === "text") yield* block.pieces.map((content) => ({ content }));
    if (block.type === "thinking") yield* block.pieces.map((text) => ({ reasoning_content: text }));
    if (block.type !== "call") continue;
    const { id, name } = block;
    index += 1;
    yield { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] };
    for (const piece of block.pieces) yield { tool_calls: [{ index, function: { arguments: piece } }] };
  }
}

function headOf(object: string, model: string): object {
  return { id: "chatcmpl-1", object, created: 1_795_000_000, model };
}

const reasons: Readonly<Record<FinishReason, string>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  content_filter: "content_filter",
  error: "error",
  tool_roundtrips: "stop",
  other: "stop",
};

function toUsage({ usage }: AnswerBlocks): object {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.totalTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens, audio_tokens: usage.audioInputTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens, audio_tokens: usage.audioOutputTokens },
  };
}
