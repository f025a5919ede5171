import type { FunctionCall, Part } from "@google/genai/web";
import { createId } from "@troupe/core/adapter";
import type { ModelChunk, ModelFinish } from "@troupe/core/adapter";
import { CallAssembler } from "./call-assembler.ts";
import { stateOf } from "./replay.ts";
import { toFinishReason } from "./to-finish-reason.ts";
import { toUsage } from "./to-usage.ts";
import { CutAnswer, VendorFailure } from "./vendor-failure.ts";
import type { WireAnswer, WireUsage } from "./wire-types.ts";

/** Turns an answer, whole or piece by piece, into chunks, and keeps what is to go back to the vendor. */
export class AnswerReader {
  readonly #model: { providerId: string; modelId: string };
  readonly #parts: Part[] = [];
  readonly #calls = new CallAssembler();
  readonly #ids = new Set<string>();
  #usage: WireUsage = {};
  #end: string | undefined;
  #answeredBy: { responseId?: string; model?: string } = {};

  constructor(model: { providerId: string; modelId: string }) {
    this.#model = model;
  }

  /** Adds the chunks that a piece amounts to. One that tells of a failure throws. */
  read(answer: WireAnswer, chunks: ModelChunk[]): void {
    if (answer.error) throw new VendorFailure(answer.error);
    const { content, finishReason } = answer.candidates?.[0] ?? {};
    for (const part of content?.parts ?? []) this.#readPart(part, chunks);
    this.#end = finishReason ?? this.#end ?? refusalOf(answer);
    this.#usage = answer.usageMetadata ?? this.#usage;
    this.#readNames(answer);
  }

  /** The last chunk. An answer that does not say why it ended was cut. */
  finish(): ModelFinish {
    if (this.#end === undefined) throw new CutAnswer("The answer does not say why it ended.");
    const vendorState = stateOf(this.#parts, this.#model);
    const finishReason = toFinishReason(this.#end, this.#ids.size > 0);
    return {
      type: "finish",
      finishReason,
      usage: toUsage(this.#usage),
      ...this.#answeredBy,
      ...(vendorState !== undefined && { vendorState }),
    };
  }

  #readNames({ responseId, modelVersion }: WireAnswer): void {
    if (responseId !== undefined) this.#answeredBy.responseId = responseId;
    if (modelVersion !== undefined) this.#answeredBy.model = modelVersion;
  }

  #readPart(piece: Part, chunks: ModelChunk[]): void {
    const part = this.#calls.add(piece);
    // A call of nothing can neither be made nor sent back.
    if (part === undefined || isNameless(part)) return;
    this.#keep(part);
    if (part.functionCall !== undefined) this.#readCall(part.functionCall, chunks);
    if (part.text !== undefined && part.text !== "") {
      chunks.push({ type: part.thought === true ? "thinking" : "text", text: part.text });
    }
  }

  #readCall({ id, name = "", args = {} }: FunctionCall, chunks: ModelChunk[]): void {
    const toolCallId = this.#ownId(id);
    chunks.push(
      { type: "tool_call_start", toolCall: { id: toolCallId, name } },
      { type: "tool_call_delta", toolCallId, argumentsDelta: JSON.stringify(args) },
      { type: "tool_call_end", toolCallId },
    );
  }

  /** The vendor's id, or where it gave none or the same twice, one of ours. */
  #ownId(id = ""): string {
    const own = id === "" || this.#ids.has(id) ? `call_${createId().replaceAll("-", "")}` : id;
    this.#ids.add(own);
    return own;
  }

  /** Keeps a part for the next request. Words that follow each other are one part, unless one of them is signed. */
  #keep(part: Part): void {
    const last = this.#parts.at(-1);
    if (last !== undefined && isPlain(last) && isPlain(part) && last.thought === part.thought) {
      last.text = `${last.text}${part.text}`;
    } else {
      this.#parts.push(part);
    }
  }
}

/** To a question that is refused, nothing is said. */
function refusalOf({ promptFeedback }: WireAnswer): string | undefined {
  return promptFeedback?.blockReason === undefined ? undefined : "SAFETY";
}

function isNameless({ functionCall }: Part): boolean {
  return functionCall !== undefined && (functionCall.name ?? "") === "";
}

function isPlain({ text, thoughtSignature }: Part): boolean {
  return text !== undefined && thoughtSignature === undefined;
}
