import type { FinishReason } from "@troupe/core";
import { EventStreamCodec } from "@smithy/eventstream-codec";
import { argumentsOf, toBlocks } from "../answer-blocks.ts";
import type { AnswerBlock, AnswerBlocks } from "../answer-blocks.ts";
import type { OwnDialect, RoutedRequest, VendorAnswer, VendorFailure, VendorReply } from "../dialect.ts";
import { jsonReply, retryAfterOf } from "../replies.ts";
import { bearerKey, pathOf } from "../request.ts";
import { sign } from "../signature.ts";
import { refuseBedrock } from "../strict/bedrock.ts";

/** The Converse API of Amazon Bedrock. Its streams are binary frames, written by the codec of AWS's own library. */
export const bedrockDialect: OwnDialect = {
  route(request) {
    const [, model, method] = /^\/model\/([^/]+)\/(converse|converse-stream)$/.exec(pathOf(request)) ?? [];
    if (model === undefined) return undefined;
    return { kind: "chat", modelId: decodeURIComponent(model), stream: method === "converse-stream" };
  },
  // An API key is a bearer token. A signature has the id of its key only.
  keyOf: (request) => bearerKey(request) ?? /Credential=([^/]+)/.exec(request.headers["authorization"] ?? "")?.[1],
  answer: (answer, routed) => (routed.route.stream ? streamed(answer, routed) : whole(answer, routed)),
  fail: (failure) =>
    jsonReply({ message: messageOf(failure) }, failure.status, {
      "x-amzn-errortype": errorTypes[failure.status] ?? "ValidationException",
      ...retryAfterOf(failure),
    }),
  failFrame: (failure) => bedrockException(exceptionOf(failure), { message: messageOf(failure) }),
  refuse: ({ body }) => refuseBedrock(body),
};

const errorTypes: Readonly<Record<number, string>> = {
  400: "ValidationException",
  401: "UnrecognizedClientException",
  403: "AccessDeniedException",
  404: "ResourceNotFoundException",
  408: "ModelTimeoutException",
  424: "ModelErrorException",
  429: "ThrottlingException",
  500: "InternalServerException",
  503: "ServiceUnavailableException",
};

/** Returns the name of an exception within a stream. Its first letter is small there. */
function exceptionOf({ status }: VendorFailure): string {
  const type = errorTypes[status] ?? "InternalServerException";
  return `${type.charAt(0).toLowerCase()}${type.slice(1)}`;
}

function messageOf({ message, status }: VendorFailure): string {
  return message ?? `Something went wrong (${status}).`;
}

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString("utf8"),
  (text) => Buffer.from(text, "utf8"),
);

function frame(headers: Readonly<Record<string, string>>, payload: object): Uint8Array {
  const typed = Object.entries(headers).map(([name, value]) => [name, { type: "string" as const, value }] as const);
  return codec.encode({ headers: Object.fromEntries(typed), body: Buffer.from(JSON.stringify(payload)) });
}

/** Returns the frame of an event of a stream. */
export function bedrockEvent(type: string, payload: object): Uint8Array {
  const headers = { ":event-type": type, ":content-type": "application/json", ":message-type": "event" };
  return frame(headers, payload);
}

/** Returns the frame of an exception within a stream. */
export function bedrockException(type: string, payload: object): Uint8Array {
  return frame({ ":exception-type": type, ":content-type": "application/json", ":message-type": "exception" }, payload);
}

function whole(answer: VendorAnswer, routed: RoutedRequest): VendorReply {
  const parts = toBlocks(answer);
  return jsonReply({
    output: { message: { role: "assistant", content: parts.blocks.map((block) => toContent(block, routed)) } },
    stopReason: reasons[parts.finishReason],
    usage: toUsage(parts),
    metrics: { latencyMs: 5 },
  });
}

function toContent(block: AnswerBlock, { route }: RoutedRequest): object {
  const said = block.pieces.join("");
  if (block.type === "text") return { text: said };
  if (block.type === "thinking")
    return { reasoningContent: { reasoningText: { text: said, signature: sign(route.modelId, said) } } };
  return { toolUse: { toolUseId: block.id, name: block.name, input: argumentsOf(block) } };
}

function streamed(answer: VendorAnswer, routed: RoutedRequest): VendorReply {
  const parts = toBlocks(answer);
  const frames = [
    bedrockEvent("messageStart", { role: "assistant" }),
    ...parts.blocks.flatMap((block, index) => blockFrames(block, index, routed)),
    bedrockEvent("messageStop", { stopReason: reasons[parts.finishReason] }),
    bedrockEvent("metadata", { usage: toUsage(parts), metrics: { latencyMs: 5 } }),
  ];
  return { status: 200, headers: { "content-type": "application/vnd.amazon.eventstream" }, frames, endFrames: 2 };
}

function blockFrames(block: AnswerBlock, contentBlockIndex: number, { route }: RoutedRequest): Uint8Array[] {
  const delta = (fields: object) => bedrockEvent("contentBlockDelta", { contentBlockIndex, delta: fields });
  const stop = bedrockEvent("contentBlockStop", { contentBlockIndex });
  if (block.type === "text") return [...block.pieces.map((text) => delta({ text })), stop];
  if (block.type === "thinking") {
    const signature = sign(route.modelId, block.pieces.join(""));
    const said = block.pieces.map((text) => delta({ reasoningContent: { text } }));
    return [...said, delta({ reasoningContent: { signature } }), stop];
  }
  const start = { toolUse: { toolUseId: block.id, name: block.name } };
  return [
    bedrockEvent("contentBlockStart", { contentBlockIndex, start }),
    ...block.pieces.map((input) => delta({ toolUse: { input } })),
    stop,
  ];
}

const reasons: Readonly<Record<FinishReason, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "content_filtered",
  tool_roundtrips: "end_turn",
  error: "malformed_model_output",
  other: "stop_sequence_of_the_future",
};

/** Returns the usage. `inputTokens` excludes tokens that are read from the cache or written to it. */
function toUsage({ usage }: AnswerBlocks): object {
  const { promptTokens, completionTokens, totalTokens, cachedTokens, cacheWriteTokens } = usage;
  return {
    inputTokens: promptTokens - cachedTokens - cacheWriteTokens,
    outputTokens: completionTokens,
    totalTokens,
    cacheReadInputTokens: cachedTokens,
    cacheWriteInputTokens: cacheWriteTokens,
  };
}
