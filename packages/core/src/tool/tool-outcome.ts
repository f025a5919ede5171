import type { MessageContent } from "../message/content.ts";
import type { Artifact } from "../message/tool-call.ts";

/**
 * The outcome of a tool call: the content for the model, the same text as `error` when the call failed, and the
 * artifacts.
 */
export type ToolOutcome = {
  readonly result: MessageContent;
  readonly error?: string;
  readonly artifacts?: Artifact[];
};

/** Makes the outcome of a tool call that failed or was not made, from the problem, which is shown to the model. */
export function failedOutcome(problem: string): ToolOutcome {
  return { result: problem, error: problem };
}
