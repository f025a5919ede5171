import type { MessageContent } from "../../base/message/content.ts";
import type { Source } from "../../base/message/source.ts";
import type { Artifact } from "../../base/message/tool-call.ts";

/**
 * The outcome of a tool call: the content for the model, `error` as the public text of a failed call, the artifacts,
 * and the sources that the run records.
 */
export type ToolOutcome = {
  readonly result: MessageContent;
  readonly error?: string;
  readonly artifacts?: Artifact[];
  readonly sources?: Source[];
};

/**
 * Makes the outcome of a failed or refused tool call from the problem, which the model sees, and the text that clients
 * see instead.
 */
export function failedOutcome(problem: string, told = problem): ToolOutcome {
  return { result: problem, error: told };
}
