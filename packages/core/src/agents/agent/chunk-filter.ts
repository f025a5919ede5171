import type { CitationMarks } from "../../base/message/citation-marks.ts";
import type { OutputGate } from "../guardrail/output-gate.ts";
import type { SourceChunk } from "../../base/message/source.ts";
import type { AnswerChunk, ModelChunk } from "../../model/model-chunk.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import type { PartialAnswers } from "../run/stream-views.ts";
import type { Run } from "../run/run.ts";

type TextChunk = Extract<AnswerChunk, { type: "text" }>;
type ToolChunk = Extract<AnswerChunk, { type: "tool_call_start" | "tool_call_delta" | "tool_call_end" }>;

/** Options of a `ChunkFilter`: the run to which it records, the gate of the output guardrails, and `showsTools`. */
export type ChunkFilterOptions = {
  run: Run;
  /** Releases text once it may be shown. Undefined for a structured answer, whose whole text is held back. */
  gate: OutputGate | undefined;
  /** Checks the citation marks of the text before the guardrails. Undefined if the run has no numbered passages. */
  marks: CitationMarks | undefined;
  /** Receives the text of a structured answer, to produce partial values for the reader. */
  partial: PartialAnswers | undefined;
  /** True if the run's reader gets the model's tool calls, because they will be executed. */
  showsTools: boolean;
  /** Called with each chunk that the run's reader will see, before the reader receives it. */
  onShown: ((chunk: StreamChunk) => void) | undefined;
};

/**
 * Selects the chunks of one model call that the reader of a run gets, and adds their text and thinking to the run. The
 * model's end of a tool call is omitted: for the reader a call ends after its execution.
 */
export class ChunkFilter {
  readonly #options: ChunkFilterOptions;
  /** Records a model's chunk, and returns the chunk for the run's reader; `undefined` if the reader gets no chunk. */
  readonly filter: (chunk: ModelChunk) => StreamChunk | undefined | Promise<StreamChunk | undefined>;
  /**
   * Maps a tool call's id to true once all of its arguments have arrived. Created with the first call, because most
   * answers have no calls.
   */
  #isComplete: Map<string, boolean> | undefined;

  #hadText = false;

  constructor(options: ChunkFilterOptions) {
    this.#options = options;
    const { onShown } = options;
    this.filter = onShown === undefined ? this.#filter : reporting(this.#filter, onShown);
  }

  /** Makes a chunk of text that the output guardrails had held back. */
  text(text: string): StreamChunk {
    const chunk = { type: "text", text } as const;
    this.#options.onShown?.(chunk);
    return chunk;
  }

  /** True once a text chunk of the model call has arrived. */
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

  /** Returns the source as a chunk; `undefined` if the run has already shown the same source. */
  #showSource(chunk: SourceChunk): StreamChunk | undefined {
    const added = this.#options.run.addSource(chunk);
    return added && { type: "source", ...added };
  }

  #filterText(chunk: TextChunk): StreamChunk | undefined | Promise<StreamChunk | undefined> {
    const { gate, marks, partial } = this.#options;
    this.#hadText = true;
    if (gate === undefined) return partial?.push(chunk.text)?.then(() => undefined);
    const passed = gate.push(marks?.push(chunk.text) ?? chunk.text);
    if (typeof passed !== "string") return passed.then((text) => this.#show(text, chunk));
    return this.#show(passed, chunk);
  }

  #show(text: string, chunk: TextChunk): StreamChunk | undefined {
    this.#options.run.text += text;
    if (text === "") return undefined;
    return text === chunk.text ? chunk : { type: "text", text };
  }

  /**
   * Returns true for the start and the arguments of a tool call. Returns false for its end, and for a vendor's
   * mistakes: a second call with a known id, and arguments of a complete or unknown call.
   */
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

/**
 * Replaces unpaired surrogates in the streamed arguments of a tool call, because clients may fail to read them. The
 * call itself is refused later.
 */
function wellFormed(chunk: ToolChunk): ToolChunk {
  if (chunk.type !== "tool_call_delta" || chunk.argumentsDelta.isWellFormed()) return chunk;
  return { ...chunk, argumentsDelta: chunk.argumentsDelta.toWellFormed() };
}

/** Wraps a filter so that each chunk for the reader is also passed to a listener. */
function reporting(filter: ChunkFilter["filter"], onShown: (chunk: StreamChunk) => void): ChunkFilter["filter"] {
  const report = (chunk: StreamChunk | undefined) => {
    if (chunk !== undefined) onShown(chunk);
    return chunk;
  };
  return (chunk) => {
    const shown = filter(chunk);
    return shown instanceof Promise ? shown.then(report) : report(shown);
  };
}
