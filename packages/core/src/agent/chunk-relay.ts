import type { OutputGate } from "../guardrail/output-gate.ts";
import type { AnswerChunk, ModelChunk } from "../model/model-chunk.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import type { Run } from "../run/run.ts";

type TextChunk = Extract<AnswerChunk, { type: "text" }>;
type ToolChunk = Extract<AnswerChunk, { type: "tool_call_start" | "tool_call_delta" | "tool_call_end" }>;

/** What of a model turn goes out as it comes. */
export type RelayPlan = {
  run: Run;
  /** Lets text out once it may go. Without one all text is held back. */
  gate: OutputGate | undefined;
  /** Whether what the model asks for will be executed, and so is shown. */
  showsTools: boolean;
};

/**
 * Passes the chunks of one model turn on to the reader of a run, and notes them in the run's run. The end of a tool call
 * is kept back: for the reader a call ends when it has been executed.
 */
export class ChunkRelay {
  readonly #plan: RelayPlan;
  /** The calls by their ids, and whether their arguments are whole. Made with the first call: most turns have none. */
  #isWhole: Map<string, boolean> | undefined;

  #hasSpoken = false;

  constructor(plan: RelayPlan) {
    this.#plan = plan;
  }

  /** Whether any text came by. */
  get hasSpoken(): boolean {
    return this.#hasSpoken;
  }

  /** What the reader is shown of the chunk. */
  readonly pass = (chunk: ModelChunk): StreamChunk | undefined | Promise<StreamChunk | undefined> => {
    const { run, showsTools } = this.#plan;
    switch (chunk.type) {
      case "text":
        run.noteToken();
        return this.#passText(chunk);
      case "thinking":
        run.noteToken();
        run.thinking += chunk.text;
        return chunk;
      case "tool_call_start":
      case "tool_call_delta":
      case "tool_call_end":
        run.noteToken();
        return this.#isNews(chunk) && showsTools ? chunk : undefined;
      default:
        return undefined;
    }
  };

  #passText(chunk: TextChunk): StreamChunk | undefined | Promise<StreamChunk | undefined> {
    const { gate } = this.#plan;
    this.#hasSpoken = true;
    if (gate === undefined) return undefined;
    const passed = gate.push(chunk.text);
    if (typeof passed !== "string") return passed.then((text) => this.#show(text, chunk));
    return this.#show(passed, chunk);
  }

  #show(text: string, chunk: TextChunk): StreamChunk | undefined {
    this.#plan.run.text += text;
    if (text === "") return undefined;
    return text === chunk.text ? chunk : { type: "text", text };
  }

  /** A second call under a known id, and arguments of a call that is whole or unknown, are slips of the vendor. */
  #isNews(chunk: ToolChunk): boolean {
    const calls = (this.#isWhole ??= new Map<string, boolean>());
    if (chunk.type === "tool_call_start") {
      const { id } = chunk.toolCall;
      const isNew = !calls.has(id);
      if (isNew) calls.set(id, false);
      return isNew;
    }
    if (chunk.type === "tool_call_end") calls.set(chunk.toolCallId, true);
    return calls.get(chunk.toolCallId) === false;
  }
}
