import type { ToolCall } from "../message/tool-call.ts";
import type { RunContext } from "../run/run-context.ts";
import { readProperty } from "../util/read-property.ts";
import { copyPlain } from "./copy-plain.ts";
import { keyMasker, loggedCause, shortText } from "./failure-text.ts";
import { failed } from "./outcome.ts";
import type { Outcome } from "./outcome.ts";

/** Decides on a call whose arguments have been checked: what it denies is not executed. */
export type ToolHook = (
  context: RunContext,
  call: ToolCall,
) => void | { deny: string } | Promise<void> | Promise<void | { deny: string }>;

/** Asks the hook, if there is one. Nothing but a clear yes lets the call through: a hook that fails has denied it. */
export async function denialOf(
  call: ToolCall,
  { onToolCall, context }: { onToolCall: ToolHook | undefined; context: RunContext },
): Promise<Outcome | undefined> {
  if (onToolCall === undefined) return undefined;
  try {
    // A copy: what the hook changes is not what it was asked about.
    const verdict: unknown = await onToolCall(context, copyPlain(call));
    if (verdict === undefined || verdict === null) return undefined;
    const reason = readProperty(verdict, "deny");
    if (typeof reason !== "string") throw new TypeError("onToolCall must return nothing or { deny: reason }.");
    return failed(shortText(`The call of ${call.name} was denied: ${keyMasker(context)(reason)}`));
  } catch (error) {
    context.logger.error(`onToolCall failed, so ${call.name} was not called.`, { error: loggedCause(error, context) });
    return failed(`The call of ${call.name} was not allowed.`);
  }
}
