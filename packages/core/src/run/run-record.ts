import type { MessageContent } from "../message/content.ts";
import type { ChatMessage } from "../message/message.ts";
import type { ToolCallResult } from "../message/tool-call.ts";
import type { RunMetrics, RunOutput } from "./run-output.ts";
import type { UsageMeter } from "./usage-meter.ts";

/** Whose run it is: what a run's output says besides what happened. */
export type RunFacts = {
  readonly runId: string;
  readonly agentName: string;
  readonly sessionId: string;
  readonly userId?: string | undefined;
  readonly model?: string | undefined;
  readonly modelProvider?: string | undefined;
};

/** What has happened in a run so far: from it comes the output, of a run that failed as of one that did not. */
export class RunRecord<Structured = unknown> {
  readonly createdAt = Date.now();
  /** The answer, or what there is of it: the text of the last model turn. */
  text = "";
  thinking = "";
  structured: Structured | null = null;
  responseId: string | undefined;
  readonly toolCalls: ToolCallResult[] = [];
  /** What the user said as the model got it, and what followed. */
  input: MessageContent;
  readonly messages: ChatMessage[] = [];
  readonly #facts: RunFacts;
  readonly #meter: UsageMeter;
  readonly #startedAt = performance.now();
  #firstTokenMs: number | undefined;

  constructor(facts: RunFacts, meter: UsageMeter, input: MessageContent) {
    this.#facts = facts;
    this.#meter = meter;
    this.input = input;
  }

  /** Notes when the first piece of an answer came; later ones change nothing. */
  noteToken(): void {
    this.#firstTokenMs ??= performance.now() - this.#startedAt;
  }

  toOutput(status: "completed" | "error"): RunOutput<Structured> {
    const { runId, agentName, sessionId, userId, model, modelProvider } = this.#facts;
    const metrics = this.#metrics();
    return {
      text: this.text,
      toolCalls: [...this.toolCalls],
      usage: this.#meter.total,
      structured: this.structured,
      ...(this.thinking !== "" && { thinking: this.thinking }),
      ...timesOf(metrics),
      runId,
      agentName,
      sessionId,
      ...(userId !== undefined && { userId }),
      ...(model !== undefined && { model }),
      ...(modelProvider !== undefined && { modelProvider }),
      status,
      createdAt: this.createdAt,
      ...(this.responseId !== undefined && { responseId: this.responseId }),
      messages: [{ role: "user", content: this.input }, ...this.messages],
      metrics,
    };
  }

  #metrics(): RunMetrics {
    const { promptTokens, completionTokens, totalTokens } = this.#meter.total;
    return {
      inputTokens: promptTokens,
      outputTokens: completionTokens,
      totalTokens,
      ...(this.#firstTokenMs !== undefined && { timeToFirstTokenMs: this.#firstTokenMs }),
      durationMs: performance.now() - this.#startedAt,
    };
  }
}

function timesOf({
  timeToFirstTokenMs,
  durationMs,
}: RunMetrics): Pick<RunMetrics, "timeToFirstTokenMs" | "durationMs"> {
  return {
    ...(timeToFirstTokenMs !== undefined && { timeToFirstTokenMs }),
    ...(durationMs !== undefined && { durationMs }),
  };
}
