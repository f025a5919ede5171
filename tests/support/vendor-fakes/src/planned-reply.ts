import type { TokenUsage } from "@troupe/core";
import { scriptedUsage } from "@troupe/core/testing";
import type { Delivery } from "./delivery.ts";
import type { VendorFailure, VendorReply, VendorAnswer } from "./dialect.ts";
import type { KnownRequest } from "./find-dialect.ts";
import { readTranscript } from "./transcripts.ts";
import { withCallIds } from "./answer-blocks.ts";

/** The vendor's answer to one request. */
export type PlannedReply = { delivery?: Delivery } & (
  | { answer: VendorAnswer }
  /** An error before any answer, or within the stream after the answer. */
  | { failure: VendorFailure; afterAnswer?: VendorAnswer }
  /** A recorded answer, by file name, byte for byte. */
  | { transcript: string }
  /** Any other reply: HTML pages, invalid bytes, nothing. */
  | { raw: VendorReply }
);

/** An HTML error page of a gateway before the vendor. */
export const badGateway: VendorReply = {
  status: 502,
  headers: { "content-type": "text/html" },
  frames: ["<html><body><h1>502 Bad Gateway</h1></body></html>"],
};

/** A reply in the vendor's dialect, and the usage that the vendor bills for it. */
export type PlannedAnswer = { reply: VendorReply; billed?: TokenUsage };

function billedFor(answer: VendorAnswer, { cached }: KnownRequest): TokenUsage {
  const usage = (typeof answer === "string" ? undefined : answer.usage) ?? scriptedUsage;
  if (cached === undefined) return usage;
  const { prompt, read, write } = cached;
  const totalTokens = prompt + usage.completionTokens;
  return { ...usage, promptTokens: prompt, totalTokens, cachedTokens: read, cacheWriteTokens: write };
}

/** Converts a planned reply to the dialect of the request. */
export function answerPlanned(planned: PlannedReply, known: KnownRequest, createCallId: () => string): PlannedAnswer {
  const replyFor = (answer: VendorAnswer): Required<PlannedAnswer> => ({
    reply: known.dialect.answer(withCallIds(answer, createCallId), known),
    billed: billedFor(answer, known),
  });
  if ("answer" in planned) return replyFor(planned.answer);
  if ("transcript" in planned) return { reply: readTranscript(planned.transcript) };
  if ("raw" in planned) return { reply: planned.raw };
  const { failure, afterAnswer } = planned;
  // Without streaming, the failure replaces the whole answer.
  if (afterAnswer === undefined || !known.route.stream) return { reply: known.dialect.fail(failure, known.request) };
  const { reply, billed } = replyFor(afterAnswer);
  const sent = reply.frames.slice(0, -(reply.endFrames ?? 1));
  return { reply: { ...reply, frames: [...sent, known.dialect.failFrame(failure, sent.length)] }, billed };
}
