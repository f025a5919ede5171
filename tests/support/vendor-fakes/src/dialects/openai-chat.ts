import type { FinishReason } from "@troupe/core";
import type { Dialect, OwnDialect, Refusal, RoutedRequest, VendorReply, VendorAnswer } from "../dialect.ts";
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
export const openaiChat: Dialect = { ...chatVariant(), name: "openai-chat" };

/** The differences of a compatible server from OpenAI. */
export type ChatVariant = {
  /**
   * The place of a stream's token counts: at the end if the request asks for them (`asked`), always with the last
   * choice (`at_end`), or there under Groq's own name. @default "asked"
   */
  counts?: "asked" | "at_end" | "x_groq";
  /** `content`: Mistral's, as parts of the content. @default "reasoning_content" */
  thinking?: "reasoning_content" | "reasoning" | "content";
  /** Returns why the server would refuse a request. @default as OpenAI */
  refuse?: (body: unknown) => Refusal | undefined;
};

/** Returns the dialect of a server with Chat Completions. */
export function chatVariant(variant: ChatVariant = {}): OwnDialect {
  const refuse = variant.refuse ?? refuseOpenaiChat;
  return {
    route(request) {
      const { model, stream } = objectOf(request.body);
      const [path, modelId] = [pathOf(request), stringOrEmpty(model)];
      if (path.endsWith("/chat/completions")) return { kind: "chat", modelId, stream: stream === true };
      return path.endsWith("/embeddings") ? { kind: "embeddings", modelId, stream: false } : undefined;
    },
    keyOf: bearerKey,
    answer: (answer, routed) =>
      routed.route.stream ? streamed(answer, routed, variant) : whole(answer, routed, variant),
    fail: failAsOpenai,
    failFrame: (failure) => dataFrame({ error: openaiError(failure) }),
    refuse: ({ body }, { kind }) => (kind === "chat" ? refuse(body) : refuseOpenaiEmbeddings(body)),
    embeddings: openaiEmbeddings,
  };
}

/** Returns the fields of a message, or of a delta, with thinking. */
function thinkingOf(text: string, { thinking = "reasoning_content" }: ChatVariant): object {
  if (thinking !== "content") return { [thinking]: text };
  return { content: [{ type: "thinking", thinking: [{ type: "text", text }] }] };
}

function whole(answer: VendorAnswer, { route }: RoutedRequest, variant: ChatVariant): VendorReply {
  const parts = toBlocks(answer);
  const [text, thinking] = [textIn(parts, "text"), textIn(parts, "thinking")];
  const calls = callsIn(parts).map(({ id, name, pieces }) => ({
    id,
    type: "function",
    function: { name, arguments: pieces.join("") },
  }));
  const said = text === "" && calls.length > 0 ? null : text;
  const thought = thinking === "" ? {} : thinkingOf(thinking, variant);
  const isJoined = "content" in thought && Array.isArray(thought.content);
  const message = {
    role: "assistant",
    content: said,
    refusal: null,
    ...thought,
    ...(isJoined && { content: [...(thought.content as object[]), { type: "text", text }] }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  const choice = { index: 0, message, logprobs: null, finish_reason: reasons[parts.finishReason] };
  return jsonReply({ ...headOf("chat.completion", route.modelId), choices: [choice], usage: toUsage(parts) });
}

function streamed(answer: VendorAnswer, { route, request }: RoutedRequest, variant: ChatVariant): VendorReply {
  const parts = toBlocks(answer);
  const { counts = "asked" } = variant;
  const isCounted = objectOf(objectOf(request.body)["stream_options"])["include_usage"] === true;
  const head = { ...headOf("chat.completion.chunk", route.modelId), ...(isCounted && { usage: null }) };
  const frame = (delta: object, finishReason: string | null = null, more: object = {}): string =>
    dataFrame({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }], ...more });
  const atEnd = { asked: {}, at_end: { usage: toUsage(parts) }, x_groq: { x_groq: { usage: toUsage(parts) } } };
  const end = [
    frame({}, reasons[parts.finishReason], atEnd[counts]),
    ...(isCounted ? [dataFrame({ ...head, choices: [], usage: toUsage(parts) })] : []),
    "data: [DONE]\n\n",
  ];
  const said = [{ role: "assistant", content: "" }, ...deltas(parts.blocks, variant)].map((delta) => frame(delta));
  return sseReply([...said, ...end], end.length);
}

function* deltas(blocks: readonly AnswerBlock[], variant: ChatVariant): Generator<object> {
  let index = -1;
  for (const block of blocks) {
    if (block.type === "text") yield* block.pieces.map((content) => ({ content }));
    if (block.type === "thinking") yield* block.pieces.map((text) => thinkingOf(text, variant));
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
