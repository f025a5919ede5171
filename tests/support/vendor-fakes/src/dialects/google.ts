import type { FinishReason } from "@troupe/core";
import type { RoutedRequest, Dialect, VendorReply, VendorAnswer } from "../dialect.ts";
import { jsonReply, sseReply } from "../replies.ts";
import { bearerKey } from "../request.ts";
import { sign } from "../signature.ts";
import { refuseGoogle } from "../strict/google.ts";
import { toBlocks } from "../answer-blocks.ts";
import type { AnswerBlocks } from "../answer-blocks.ts";
import { googleEmbeddings } from "./google-embeddings.ts";
import { failAsGoogle, googleError } from "./google-errors.ts";
import { groundingOf } from "./google-hosted.ts";
import type { GooglePart } from "./google-hosted.ts";
import { toParts } from "./google-parts.ts";
import { readGooglePath } from "./google-path.ts";

const embeddingMethods = ["batchEmbedContents", "embedContent", "predict"];

/** Gemini, on its own API and on Google Cloud. */
export const google: Dialect = {
  name: "google",
  route(request) {
    const path = readGooglePath(request);
    if (path === undefined) return undefined;
    const { modelId, method } = path;
    if (embeddingMethods.includes(method)) return { kind: "embeddings", modelId, stream: false };
    const stream = method === "streamGenerateContent";
    return stream || method === "generateContent" ? { kind: "chat", modelId, stream } : undefined;
  },
  keyOf: (request) => request.headers["x-goog-api-key"] ?? bearerKey(request),
  answer: (answer, routed) => (routed.route.stream ? streamed(answer, routed) : whole(answer, routed)),
  fail: failAsGoogle,
  failFrame: (failure) => frame({ error: googleError(failure) }),
  refuse: refuseGoogle,
  embeddings: googleEmbeddings,
};

function whole(answer: VendorAnswer, routed: RoutedRequest): VendorReply {
  const parts = toBlocks(answer);
  const said = joined(toParts(parts, routed).flat());
  const found = groundingOf(parts);
  return jsonReply({ candidates: [{ ...candidate(said, parts.finishReason), ...found }], ...tailOf(parts, routed) });
}

function streamed(answer: VendorAnswer, routed: RoutedRequest): VendorReply {
  const parts = toBlocks(answer);
  const tail = tailOf(parts, routed);
  const frames = toParts(parts, routed).map((group) => frame({ candidates: [candidate(group)], ...tail }));
  const end = { ...candidate([{ text: "" }], parts.finishReason), ...groundingOf(parts) };
  return sseReply([...frames, frame({ candidates: [end], ...tail })], 1);
}

function frame(data: object): string {
  return `data: ${JSON.stringify(data)}\r\n\r\n`;
}

/** Joins consecutive text parts of one kind. */
function joined(parts: readonly GooglePart[]): GooglePart[] {
  const result: GooglePart[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (last !== undefined && "text" in last && "text" in part && last["thought"] === part["thought"])
      last["text"] = `${String(last["text"])}${String(part["text"])}`;
    else result.push({ ...part });
  }
  return result;
}

function candidate(parts: readonly GooglePart[], finishReason?: FinishReason): object {
  const end = finishReason === undefined ? {} : { finishReason: reasons[finishReason] };
  return { content: { parts, role: "model" }, ...end, index: 0 };
}

const reasons: Readonly<Record<FinishReason, string>> = {
  stop: "STOP",
  // Gemini has no reason of its own for tool calls.
  tool_calls: "STOP",
  tool_roundtrips: "STOP",
  length: "MAX_TOKENS",
  content_filter: "SAFETY",
  error: "MALFORMED_FUNCTION_CALL",
  other: "OTHER",
};

/** Returns the fields that every piece of an answer repeats. candidatesTokenCount excludes thoughts. */
function tailOf({ usage }: AnswerBlocks, { route, request }: RoutedRequest): object {
  return {
    usageMetadata: {
      promptTokenCount: usage.promptTokens,
      candidatesTokenCount: usage.completionTokens - usage.reasoningTokens,
      thoughtsTokenCount: usage.reasoningTokens,
      cachedContentTokenCount: usage.cachedTokens,
      totalTokenCount: usage.totalTokens,
    },
    modelVersion: route.modelId,
    responseId: sign("answer", request.body),
  };
}
