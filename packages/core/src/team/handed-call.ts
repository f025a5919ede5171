import type { ToolCall, ToolCallResult } from "../message/tool-call.ts";
import type { Run } from "../run/run.ts";
import { createId } from "../util/create-id.ts";

/** The tool call that stands in a run's record for a member that answers in the team's place. */
export class HandedCall {
  readonly #run: Run;
  readonly #call: ToolCall;
  readonly #results: ToolCallResult[] = [];
  readonly #startedAt = performance.now();

  constructor(run: Run, toolName: string) {
    this.#run = run;
    this.#call = { id: createId(), name: toolName, arguments: {} };
    run.unfinishedStep = { text: "", toolCalls: [this.#call], results: this.#results };
    run.emit("tool.call", { toolCallId: this.#call.id, toolName, args: {} });
  }

  /** The member has answered. */
  end(result: string): void {
    const run = this.#run;
    this.#note({ result });
    const { id: toolCallId } = this.#call;
    run.messages.push({ role: "assistant", content: null, toolCalls: [this.#call] });
    run.messages.push({ role: "tool", toolCallId, content: result });
    run.unfinishedStep = undefined;
  }

  /** The member has failed. */
  fail(problem: string): void {
    this.#note({ result: problem, error: problem });
  }

  #note(outcome: { result: string; error?: string }): void {
    const run = this.#run;
    const { id: toolCallId, name: toolName } = this.#call;
    const call = { toolCallId, toolName, args: {}, ...outcome, durationMs: performance.now() - this.#startedAt };
    this.#results.push(call);
    run.toolCalls.push(call);
    run.emit("tool.result", { toolCallId, toolName, result: outcome.result });
  }
}
