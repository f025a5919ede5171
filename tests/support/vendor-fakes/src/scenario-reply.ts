import type { ModelScenario } from "@troupe/core/testing";
import type { Delivery } from "./delivery.ts";
import type { PlannedReply } from "./planned-reply.ts";

/** An offset in the middle of the long answers of the scenarios, in every dialect, after their first words. */
const middleBytes = 3000;

/**
 * Returns the reply for a scenario of core's suite for model providers. `truncated` is the reply for an answer that
 * ends too early, or the name of the vendor's transcript.
 */
export function scenarioReply(
  scenario: ModelScenario,
  { truncated }: { truncated: string | PlannedReply },
): PlannedReply {
  const { answer = {}, failure, fault } = scenario;
  if (fault?.kind === "end") return typeof truncated === "string" ? { transcript: truncated } : truncated;
  const delivery = deliveryOf(scenario);
  if (failure === undefined) return { answer, delivery };
  return scenario.answer === undefined ? { failure, delivery } : { failure, afterAnswer: answer, delivery };
}

function deliveryOf({ pieceBytes, fault }: ModelScenario): Delivery {
  const pieces = pieceBytes === undefined ? {} : { pieceBytes };
  if (fault === undefined || fault.kind === "end") return pieces;
  const at = fault.at === "before-headers" ? fault.at : { afterBytes: middleBytes };
  return { ...pieces, fault: { kind: fault.kind, at } };
}
