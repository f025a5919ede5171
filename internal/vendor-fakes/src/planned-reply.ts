import type { TokenUsage } from "@troupe/core";
import { scriptedUsage } from "@troupe/core/testing";
import type { Delivery } from "./delivery.ts";
import type { VendorFailure, VendorReply, VendorTurn } from "./dialect.ts";
import type { KnownRequest } from "./find-dialect.ts";
import { readTranscript } from "./transcripts.ts";
import { withCallIds } from "./turn-blocks.ts";

/** The vendor's answer to one request. */
export type PlannedReply = { delivery?: Delivery } & (
  | { turn: VendorTurn }
  /** An error before any answer, or within the stream after the turn. */
  | { failure: VendorFailure; afterTurn?: VendorTurn }
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

/** Converts a planned reply to the dialect of the request. */
export function answerPlanned(planned: PlannedReply, known: KnownRequest, createCallId: () => string): PlannedAnswer {
  const answer = (turn: VendorTurn): Required<PlannedAnswer> => ({
    reply: known.dialect.answer(withCallIds(turn, createCallId), known),
    billed: (typeof turn === "string" ? undefined : turn.usage) ?? scriptedUsage,
  });
  if ("turn" in planned) return answer(planned.turn);
  if ("transcript" in planned) return { reply: readTranscript(planned.transcript) };
  if ("raw" in planned) return { reply: planned.raw };
  const { failure, afterTurn } = planned;
  // Without streaming, the failure replaces the whole answer.
  if (afterTurn === undefined || !known.route.stream) return { reply: known.dialect.fail(failure, known.request) };
  const { reply, billed } = answer(afterTurn);
  const sent = reply.frames.slice(0, -(reply.endFrames ?? 1));
  return { reply: { ...reply, frames: [...sent, known.dialect.failFrame(failure, sent.length)] }, billed };
}
