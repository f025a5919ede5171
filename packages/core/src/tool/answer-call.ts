import { cacheKey } from "./cache-key.ts";
import { copyPlain } from "./copy-plain.ts";
import type { CallAtHand, CallScope } from "./call-scope.ts";
import { Execution } from "./execution.ts";
import { failed } from "./outcome.ts";
import type { Outcome } from "./outcome.ts";
import type { RunningCalls } from "./running-calls.ts";
import type { ToolDef } from "./tool.ts";

/** A call that may be executed. */
export type AllowedCall = CallAtHand & { readonly tool: ToolDef; readonly args: Record<string, unknown> };

/** Answers a call that is allowed: from memory, with an equal call that is under way, or by executing it. */
export async function answerCall(allowed: AllowedCall, scope: CallScope): Promise<Outcome> {
  const { tool, call } = allowed;
  const { tools, context, running } = scope;
  if (running.isOver) return failed("The run was over before the tool was called.");
  const start = () => new Execution({ ...allowed, toolCallId: call.id, context });
  const cache = tools.cacheOf(tool);
  if (cache === undefined) return await outcomeFor(running, start());

  const key = cacheKey(tool.name, call.arguments, context);
  const kept = cache.get(key);
  if (kept !== undefined) return kept;
  // Only what changes nothing may happen once where it was asked for twice.
  const execution = tool.effect === "pure" ? cache.share(key, start) : start();
  const outcome = await outcomeFor(running, execution);
  cache.set(key, outcome);
  // The cache has it now, and equal calls have it too.
  return copyPlain(outcome);
}

async function outcomeFor(running: RunningCalls, execution: Execution): Promise<Outcome> {
  return await running.during(execution.outcome, execution.join());
}
