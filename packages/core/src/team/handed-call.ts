import type { LoopPlan } from "../agent/loop-plan.ts";
import type { ToolCall, ToolCallResult } from "../message/tool-call.ts";
import { createId } from "../util/create-id.ts";

/** The call that a run's account has of a member which answers in the team's place. */
export class HandedCall {
  readonly #plan: LoopPlan;
  readonly #call: ToolCall;
  readonly #results: ToolCallResult[] = [];
  readonly #startedAt = performance.now();

  constructor(plan: LoopPlan, toolName: string) {
    this.#plan = plan;
    this.#call = { id: createId(), name: toolName, arguments: {} };
    plan.progress.step = { text: "", toolCalls: [this.#call], results: this.#results };
    plan.eventBus.emit("tool.call", { ...this.#ids, args: {} });
  }

  /** The member has answered. */
  end(result: string): void {
    const { record, progress } = this.#plan;
    this.#note({ result });
    const { id: toolCallId } = this.#call;
    record.messages.push({ role: "assistant", content: null, toolCalls: [this.#call] });
    record.messages.push({ role: "tool", toolCallId, content: result });
    delete progress.step;
  }

  /** The member has failed. */
  fail(problem: string): void {
    this.#note({ result: problem, error: problem });
  }

  get #ids() {
    const { runId, parentRunId } = this.#plan.context;
    const { id: toolCallId, name: toolName } = this.#call;
    return { runId, ...(parentRunId !== undefined && { parentRunId }), toolCallId, toolName };
  }

  #note(outcome: { result: string; error?: string }): void {
    const { record, eventBus } = this.#plan;
    const { id: toolCallId, name: toolName } = this.#call;
    const call = { toolCallId, toolName, args: {}, ...outcome, durationMs: performance.now() - this.#startedAt };
    this.#results.push(call);
    record.toolCalls.push(call);
    eventBus.emit("tool.result", { ...this.#ids, result: outcome.result });
  }
}
