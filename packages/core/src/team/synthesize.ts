import { toolLoop } from "../agent/tool-loop.ts";
import type { FinishReason, StreamChunk } from "../model/stream-chunk.ts";
import { addToLast } from "./add-text.ts";
import type { TeamPlan } from "./team-plan.ts";

/** Lets the orchestrator answer from what the members said. */
export async function* synthesize(
  { orchestrator }: TeamPlan,
  report: string,
): AsyncGenerator<StreamChunk, FinishReason> {
  const messages = addToLast(orchestrator.messages, report);
  return yield* toolLoop({ ...orchestrator, messages, maxToolRoundtrips: 0 });
}
