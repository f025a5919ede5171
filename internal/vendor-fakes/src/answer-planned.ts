import type { TokenUsage } from "@troupe/core";
import { scriptedUsage } from "@troupe/core/testing";
import type { VendorReply, VendorTurn } from "./dialect.ts";
import type { PlannedReply } from "./planned-reply.ts";
import type { Recognised } from "./recognise.ts";
import { readTranscript } from "./transcripts.ts";
import { withCallIds } from "./turn-blocks.ts";

/** An answer in the words of the vendor that was asked, and what it costs. */
export type PlannedAnswer = { reply: VendorReply; billed?: TokenUsage };

/** Puts a planned answer into the words of the vendor that was asked. */
export function answerPlanned(planned: PlannedReply, known: Recognised, createCallId: () => string): PlannedAnswer {
  const say = (turn: VendorTurn): Required<PlannedAnswer> => ({
    reply: known.dialect.answer(withCallIds(turn, createCallId), known),
    billed: (typeof turn === "string" ? undefined : turn.usage) ?? scriptedUsage,
  });
  if ("turn" in planned) return say(planned.turn);
  if ("transcript" in planned) return { reply: readTranscript(planned.transcript) };
  if ("raw" in planned) return { reply: planned.raw };
  const { failure, afterTurn } = planned;
  // Who does not stream is told of the failure alone.
  if (afterTurn === undefined || !known.route.stream) return { reply: known.dialect.fail(failure, known.request) };
  const { reply, billed } = say(afterTurn);
  const said = reply.frames.slice(0, -(reply.endFrames ?? 1));
  return { reply: { ...reply, frames: [...said, known.dialect.failFrame(failure, said.length)] }, billed };
}
