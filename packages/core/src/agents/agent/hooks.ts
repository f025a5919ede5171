import { toTroupeError } from "../../base/errors/to-troupe-error.ts";
import { functionOption, nested, optional } from "../../base/errors/option-checks.ts";
import type { OptionCheck } from "../../base/errors/read-options.ts";
import type { MessageContent } from "../../base/message/content.ts";
import { checkContent } from "../run/check-content.ts";
import type { RunEnd } from "../run/run-work.ts";
import type { RunContext } from "../run/run-context.ts";
import type { Run } from "../run/run.ts";
import type { AgentHooks } from "./agent-config.ts";

const runHookTable = {
  beforeRun: optional(functionOption()),
  afterRun: optional(functionOption()),
  onError: optional(functionOption()),
};

/** Checks the hooks of an agent or a team. */
export const hooksOption = nested(
  { ...runHookTable, onToolCall: optional(functionOption()), onApproval: optional(functionOption()) },
  { openClasses: true },
) as OptionCheck<AgentHooks>;

/** The hooks of a workflow, which calls no tools itself. */
export type RunHooks = Pick<AgentHooks, "beforeRun" | "afterRun" | "onError">;

/** Checks the hooks of a workflow. */
export const runHooksOption = nested(runHookTable, { openClasses: true }) as OptionCheck<RunHooks>;

/** Calls the hook `beforeRun`. Returns the input that it returned, or the given input if it returned nothing. */
export async function callBeforeRun(
  hooks: RunHooks | undefined,
  context: RunContext,
  input: MessageContent,
): Promise<MessageContent> {
  let replaced: MessageContent | void;
  try {
    replaced = await hooks?.beforeRun?.(context, input);
  } catch (error) {
    throw toTroupeError(error, context.signal, "The hook beforeRun");
  }
  return replaced === undefined ? input : checkContent(replaced, "What beforeRun returned");
}

/** Lets the hook `beforeRun` replace the input of a run, once for all attempts at a durable run. */
export async function prepareInput(hooks: RunHooks | undefined, run: Run): Promise<void> {
  if (hooks?.beforeRun === undefined) return;
  run.input = await run.step("in", "check", () => callBeforeRun(hooks, run.context, run.input));
}

/** Calls the hook `onError` or `afterRun` at the end of a run. */
export function callEndHook(hooks: RunHooks | undefined, context: RunContext, end: RunEnd): void | Promise<void> {
  return "error" in end ? hooks?.onError?.(context, end.error) : hooks?.afterRun?.(context, end.output);
}
