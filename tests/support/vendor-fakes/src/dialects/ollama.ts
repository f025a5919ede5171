import type { FinishReason } from "@troupe/core";
import type { RoutedRequest, Dialect, EmbeddingFormat, VendorFailure, VendorReply, VendorAnswer } from "../dialect.ts";
import { objectOf, stringOrEmpty } from "../json-body.ts";
import { jsonReply, retryAfterOf } from "../replies.ts";
import { bearerKey, pathOf } from "../request.ts";
import { refuseOllama } from "../strict/ollama.ts";
import { argumentsOf, callsIn, textIn, toBlocks } from "../answer-blocks.ts";
import type { AnswerBlock, AnswerBlocks } from "../answer-blocks.ts";

const embeddings: EmbeddingFormat = {
  textsOf({ body }) {
    const { input } = objectOf(body);
    return Array.isArray(input) ? input.map(String) : [stringOrEmpty(input)];
  },
  embed: (vectors, { body }) => jsonReply({ model: objectOf(body)["model"], embeddings: vectors, total_duration: 1 }),
};

/** Ollama, whose streams are JSON lines. */
export const ollama: Dialect = {
  name: "ollama",
  route(request) {
    const { model, stream } = objectOf(request.body);
    const [path, modelId] = [pathOf(request), stringOrEmpty(model)];
    // Streaming is the default.
    if (path.endsWith("/api/chat")) return { kind: "chat", modelId, stream: stream !== false };
    return path.endsWith("/api/embed") ? { kind: "embeddings", modelId, stream: false } : undefined;
  },
  keyOf: bearerKey,
  answer: (answer, routed) => (routed.route.stream ? streamed(answer, routed) : whole(answer, routed)),
  fail: (failure) => jsonReply({ error: wordingOf(failure) }, failure.status, retryAfterOf(failure)),
  failFrame: (failure) => line({ error: wordingOf(failure) }),
  refuse: ({ body }, { kind }) => (kind === "chat" ? refuseOllama(body) : undefined),
  embeddings,
};

function wordingOf({ status, message }: VendorFailure): string {
  return message ?? (status === 404 ? "model not found" : "an error was encountered while running the model");
}

function whole(answer: VendorAnswer, { route }: RoutedRequest): VendorReply {
  const parts = toBlocks(answer);
  const calls = callsIn(parts);
  const [content, thinking] = [textIn(parts, "text"), textIn(parts, "thinking")];
  const message = {
    role: "assistant",
    content,
    ...(thinking !== "" && { thinking }),
    ...(calls.length > 0 && { tool_calls: calls.map(toCall) }),
  };
  return jsonReply({ ...headOf(route.modelId), message, ...endOf(parts) });
}

function streamed(answer: VendorAnswer, { route }: RoutedRequest): VendorReply {
  const parts = toBlocks(answer);
  const head = headOf(route.modelId);
  const said = parts.blocks.flatMap(toMessages);
  const frames = said.map((message) =>
    line({ ...head, message: { role: "assistant", content: "", ...message }, done: false }),
  );
  const end = line({ ...head, message: { role: "assistant", content: "" }, ...endOf(parts) });
  return { status: 200, headers: { "content-type": "application/x-ndjson" }, frames: [...frames, end] };
}

/** Returns the messages of a block. A call is never split. */
function toMessages(block: AnswerBlock, index: number): object[] {
  if (block.type === "text") return block.pieces.map((content) => ({ content }));
  if (block.type === "thinking") return block.pieces.map((thinking) => ({ thinking }));
  return [{ tool_calls: [toCall(block, index)] }];
}

function toCall(block: AnswerBlock & { type: "call" }, index: number): object {
  return { id: block.id, function: { index, name: block.name, arguments: argumentsOf(block) } };
}

function line(data: object): string {
  return `${JSON.stringify(data)}\n`;
}

function headOf(model: string): object {
  return { model, created_at: "2026-11-20T10:00:00.000000000Z" };
}

const reasons: Readonly<Record<FinishReason, string>> = {
  stop: "stop",
  tool_calls: "stop",
  tool_roundtrips: "stop",
  content_filter: "stop",
  length: "length",
  error: "unload",
  other: "load",
};

function endOf({ finishReason, usage }: AnswerBlocks): object {
  return {
    done: true,
    done_reason: reasons[finishReason],
    total_duration: 1_200_000_000,
    load_duration: 90_000_000,
    prompt_eval_count: usage.promptTokens,
    prompt_eval_duration: 130_000_000,
    eval_count: usage.completionTokens,
    eval_duration: 900_000_000,
  };
}
