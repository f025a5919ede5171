import { withTimeout } from "../../base/async/with-timeout.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { runOfContext } from "../run/derive-context.ts";
import type { RunContext } from "../run/run-context.ts";
import type { OpenStep } from "../run/run-steps.ts";
import type { ToolDef } from "../run/tool.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { readProperty } from "../../base/util/read-property.ts";
import { askAbout } from "./ask-about.ts";
import { copyPlain } from "./copy-plain.ts";
import { loggedCause } from "./failure-text.ts";
import { outcomeOfReturn } from "./read-tool-result.ts";
import { defaultTimeoutMs } from "./tool-execution.ts";
import { failedOutcome } from "./tool-outcome.ts";
import type { ToolOutcome } from "./tool-outcome.ts";

/**
 * A call of effect `once` that was interrupted when its process ended, with its step and its checked arguments.
 */
export type InterruptedToolCall = {
  readonly tool: ToolDef;
  readonly args: Record<string, unknown>;
  readonly toolCallId: string;
  readonly idempotencyKey: string;
  readonly step: OpenStep;
  readonly context: RunContext;
};

/**
 * Returns the outcome of a tool call that may have had its effect, according to its tool or a person. Returns undefined
 * if the call must be repeated, because it did not take place or because a person decided so.
 */
export async function outcomeOfInterrupted(call: InterruptedToolCall): Promise<ToolOutcome | undefined> {
  const { tool } = call;
  const verified = await verify(call);
  if (verified !== "unknown") return verified;
  return (tool.onDoubt ?? "ask") === "tell" ? unknownOutcome(tool.name) : await askWhatHappened(call);
}

/** Makes the outcome of a tool call if it is unknown whether the call took place. */
export function unknownOutcome(toolName: string): ToolOutcome {
  return failedOutcome(
    `It is unknown if the call of ${toolName} took place: its process ended before there was a result. Find out before you call it again.`,
  );
}

/**
 * Asks a tool's `verify`. Returns the outcome of a call that took place, and undefined for a call that did not. Returns
 * `"unknown"` if the tool has no `verify` or its `verify` fails.
 */
async function verify(call: InterruptedToolCall): Promise<ToolOutcome | undefined | "unknown"> {
  const { tool, args, idempotencyKey, context } = call;
  if (tool.verify === undefined) return "unknown";
  const { name: toolName, timeoutMs = defaultTimeoutMs } = tool;
  const onTimeout = () => {
    throw new TroupeError("timeout", `verify took longer than ${timeoutMs} ms.`);
  };
  try {
    const found: unknown = await withTimeout(Promise.resolve(tool.verify(idempotencyKey, copyPlain(args))), {
      timeoutMs,
      onTimeout,
    });
    if (found === null) return undefined;
    if (!isRecord(found) || !("result" in found)) throw new TypeError("verify must return { result } or null.");
    return outcomeOfReturn(found["result"], tool, context);
  } catch (error) {
    const message = `The function verify of the tool ${toolName} failed, so it is unknown if its call took place.`;
    runOfContext(context)?.warn("verify_failed", message, { toolName, error: loggedCause(error, context) });
    return "unknown";
  }
}

/** Converts the timeout error of an unanswered question into undefined. */
export function noAnswerInTime(error: unknown): undefined {
  if (!TroupeError.is(error) || error.code !== "timeout") throw error;
}

/**
 * Waits for a person's answer about a tool call: it took place, must be repeated (undefined), or is given up. Without
 * an answer in time its outcome is unknown.
 */
async function askWhatHappened(call: InterruptedToolCall): Promise<ToolOutcome | undefined> {
  const { tool, args, toolCallId, idempotencyKey, step, context } = call;
  const { name: toolName } = tool;
  const answer = await askAbout(step, "doubt", { tool, toolCallId, args, idempotencyKey }).catch(noAnswerInTime);
  switch (readProperty(answer, "choice")) {
    case "again":
      return undefined;
    case "happened":
      return outcomeOfReturn(readProperty(answer, "result"), tool, context);
    case "giveUp":
      return failedOutcome(`The call of ${toolName} was given up: it is unknown if it took place.`);
    default:
      return unknownOutcome(toolName);
  }
}
