import type { OutputGate } from "../guardrail/output-gate.ts";
import type { OpenStep } from "../journal/attempt.ts";
import type { SourceChunk } from "../../base/message/source.ts";
import type { AnswerChunk, ModelChunk } from "../../model/model-chunk.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import type { PartialAnswers } from "../run/stream-views.ts";
import type { Run } from "../run/run.ts";

type TextChunk = Extract<AnswerChunk, { type: "text" }>;
type ToolChunk = Extract<AnswerChunk, { type: "tool_call_start" | "tool_call_delta" | "tool_call_end" }>;

/**
 * Options of a `ChunkFilter`: the run that it records to, the gate of the output guardrails, and whether to show tool
 * calls.
 */
export type ChunkFilterOptions = {
  run: Run;
  /** Lets text out once it may go. Absent for a structured answer, all of whose text is held back. */
  gate: OutputGate | undefined;
  /** Takes the text of a structured answer, for a reader of its values. */
  partial: PartialAnswers | undefined;
  /** Shows tool calls, which will be executed. */
  showsTools: boolean;
  /** The step of the journal that the chunks belong to, in a durable run. */
  step: OpenStep | undefined;
};

/**
 * Selects the chunks of one model call that the reader of a run sees, and adds their text and thinking to the run. The end of
 * a tool call is left out: for the reader a call ends when it has been executed.
 */
export class ChunkFilter {
  readonly #options: ChunkFilterOptions;
  /** Records the chunk, and returns what the reader is shown of it. */
  readonly filter: (chunk: ModelChunk) => StreamChunk | undefined | Promise<StreamChunk | undefined>;
  /** Tells by its id if a call has all of its arguments. Made with the first call: most answers have none. */
  #isComplete: Map<string, boolean> | undefined;

  #hadText = false;

  constructor(options: ChunkFilterOptions) {
    this.#options = options;
    const { step } = options;
    this.filter = step === undefined ? this.#filter : tagging(this.#filter, step);
  }

  /** Returns the chunk of a text that was held back. */
  text(text: string): StreamChunk {
    const chunk = { type: "text", text } as const;
    this.#options.step?.tag(chunk);
    return chunk;
  }

  /** True once a chunk was text. */
  get hadText(): boolean {
    return this.#hadText;
  }

  readonly #filter = (chunk: ModelChunk): StreamChunk | undefined | Promise<StreamChunk | undefined> => {
    const { run, showsTools } = this.#options;
    switch (chunk.type) {
      case "text":
        run.noteToken();
        return this.#filterText(chunk);
      case "thinking":
        run.noteToken();
        run.thinking += chunk.text;
        return chunk;
      case "source":
        return this.#showSource(chunk);
      case "tool_call_start":
      case "tool_call_delta":
      case "tool_call_end":
        run.noteToken();
        return this.#isNew(chunk) && showsTools ? wellFormed(chunk) : undefined;
      default:
        return undefined;
    }
  };

  /** A source that the run has shown before is not shown again. */
  #showSource(chunk: SourceChunk): StreamChunk | undefined {
    const added = this.#options.run.addSource(chunk);
    return added && { type: "source", ...added };
  }

  #filterText(chunk: TextChunk): StreamChunk | undefined | Promise<StreamChunk | undefined> {
    const { gate, partial } = this.#options;
    this.#hadText = true;
    if (gate === undefined) return partial?.push(chunk.text)?.then(() => undefined);
    const passed = gate.push(chunk.text);
    if (typeof passed !== "string") return passed.then((text) => this.#show(text, chunk));
    return this.#show(passed, chunk);
  }

  #show(text: string, chunk: TextChunk): StreamChunk | undefined {
    this.#options.run.text += text;
    if (text === "") return undefined;
    return text === chunk.text ? chunk : { type: "text", text };
  }

  /** A second call with a known id, and arguments of a call that is complete or unknown, are mistakes of the vendor. */
  #isNew(chunk: ToolChunk): boolean {
    const calls = (this.#isComplete ??= new Map<string, boolean>());
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

/** Arguments with half of a character are refused. What a reader sees of them has a whole one in its place. */
function wellFormed(chunk: ToolChunk): ToolChunk {
  if (chunk.type !== "tool_call_delta" || chunk.argumentsDelta.isWellFormed()) return chunk;
  return { ...chunk, argumentsDelta: chunk.argumentsDelta.toWellFormed() };
}

/** Notes for each chunk that is shown the step that it belongs to. */
function tagging(filter: ChunkFilter["filter"], step: OpenStep): ChunkFilter["filter"] {
  const tag = (chunk: StreamChunk | undefined) => {
    if (chunk !== undefined) step.tag(chunk);
    return chunk;
  };
  return (chunk) => {
    const shown = filter(chunk);
    return shown instanceof Promise ? shown.then(tag) : tag(shown);
  };
}
