import type { MessageContent } from "../../base/message/content.ts";
import type { Artifact } from "../../base/message/tool-call.ts";

/**
 * The outcome of a tool call: the content for the model, `error` with what clients are told when the call failed, and
 * the artifacts.
 */
export type ToolOutcome = {
  readonly result: MessageContent;
  readonly error?: string;
  readonly artifacts?: Artifact[];
};

/**
 * Makes the outcome of a tool call that failed or was not made, from the problem, which is shown to the model, and what
 * clients are told in its place.
 */
export function failedOutcome(problem: string, told = problem): ToolOutcome {
  return { result: problem, error: told };
}
