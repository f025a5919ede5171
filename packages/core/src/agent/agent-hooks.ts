import type { RunError } from "../run/run-error.ts";
import type { MessageContent } from "../message/content.ts";
import type { ToolCall } from "../message/tool-call.ts";
import type { RunContext } from "../run/run-context.ts";
import type { RunOutput } from "../run/run-output.ts";

/** What a host may do at the joints of a run. */
export type AgentHooks = {
  /** Before the model is asked. What it returns takes the place of the input; what it throws ends the run. */
  beforeRun?(
    context: RunContext,
    input: MessageContent,
  ): void | MessageContent | Promise<void> | Promise<void | MessageContent>;
  /** After the answer has been stored, before it is given out. What it throws is logged. */
  afterRun?(context: RunContext, output: RunOutput): void | Promise<void>;
  /** Before a tool is called, with arguments that were checked. A call that is denied, or that it throws at, is not made. */
  onToolCall?(
    context: RunContext,
    call: ToolCall,
  ): void | { deny: string } | Promise<void> | Promise<void | { deny: string }>;
  /** When the run has failed or was cancelled. What it throws is logged. */
  onError?(context: RunContext, error: RunError): void | Promise<void>;
};
