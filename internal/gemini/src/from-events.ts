import type { FunctionCall, Part } from "@google/genai/web";
import { createId, readObject, readObjects, readText } from "@troupe/core/kit";
import { TruncatedResponseError, stringifyArguments } from "@troupe/core/provider";
import type { EventReader, ModelChunk } from "@troupe/core/provider";
import { CallAssembler } from "./call-assembler.ts";
import { toVendorError } from "./errors.ts";
import { toVendorState } from "./replay.ts";
import { sourcesIn } from "./sources.ts";
import { toFinish } from "./to-finish.ts";
import { toPart } from "./to-part.ts";
import type { WireAnswer } from "./wire-types.ts";

/**
 * Converts the events of one Gemini answer to chunks. Collects the answer's parts as `vendorState`, which the run's
 * next model call sends back.
 */
export class GeminiEventReader implements EventReader<WireAnswer> {
  /**
   * Always false: an answer is never complete before its stream ends, because events with token counts may follow the
   * finish reason.
   */
  readonly isComplete = false;
  readonly #model: { providerId: string; modelId: string };
  readonly #parts: Part[] = [];
  readonly #calls = new CallAssembler();
  readonly #ids = new Set<string>();
  #skippedCalls = 0;
  #usage: unknown;
  #end: string | undefined;
  #answeredBy: { responseId?: string; model?: string } = {};

  constructor(model: { providerId: string; modelId: string }) {
    this.#model = model;
  }

  /** Appends the chunks of one event of Gemini's answer. Throws if the event is an error. */
  read(answer: WireAnswer, chunks: ModelChunk[]): void {
    if (answer.error) throw toVendorError(answer);
    const candidate = firstOf(readObjects(answer.candidates));
    const { content, finishReason } = candidate ?? {};
    for (const part of readObjects(readObject(content)["parts"])) this.#readPart(part, chunks);
    if (candidate !== undefined) this.#readSources(candidate, chunks);
    this.#end = readText(finishReason) || (this.#end ?? refusalOf(answer));
    this.#usage = answer.usageMetadata ?? this.#usage;
    this.#readNames(answer);
  }

  /** True once the answer has a finish reason, or Gemini has refused the request. */
  get isEnding(): boolean {
    return this.#end !== undefined;
  }

  /**
   * Appends the finish chunk of an answer. Throws `TruncatedResponseError` if the answer has no finish reason and the
   * request was not refused.
   */
  end(chunks: ModelChunk[]): void {
    if (this.#end === undefined) throw new TruncatedResponseError();
    const vendorState = toVendorState(this.#parts, this.#model);
    chunks.push({
      ...toFinish({ reason: this.#end, hasCalls: this.#ids.size > 0, usage: this.#usage }),
      ...this.#answeredBy,
      ...(vendorState !== undefined && { vendorState }),
      ...(this.#skippedCalls > 0 && { skippedCalls: this.#skippedCalls }),
    });
  }

  #readNames({ responseId, modelVersion }: WireAnswer): void {
    const [id, model] = [readText(responseId), readText(modelVersion)];
    if (id !== "") this.#answeredBy.responseId = id;
    if (model !== "") this.#answeredBy.model = model;
  }

  /** Appends the sources of an event. Every event may repeat earlier sources; the run stores each only once. */
  #readSources(candidate: Record<string, unknown>, chunks: ModelChunk[]): void {
    const isGrounded = candidate["groundingMetadata"] ?? candidate["urlContextMetadata"];
    if (!isGrounded) return;
    for (const source of sourcesIn(candidate)) chunks.push({ type: "source", ...source });
  }

  #readPart(given: Readonly<Record<string, unknown>>, chunks: ModelChunk[]): void {
    const part = this.#calls.add(toPart(given));
    if (part === undefined) return;
    // A tool call that is `null` or has no name can neither be executed nor sent back.
    if (isNameless(part) || isNoCall(given)) {
      this.#skippedCalls += 1;
      return;
    }
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
      { type: "tool_call_delta", toolCallId, argumentsDelta: stringifyArguments(args) },
      { type: "tool_call_end", toolCallId },
    );
  }

  /** Returns the vendor's id of a tool call, or a new id if the vendor sent no id or the same id twice. */
  #ownId(id = ""): string {
    const own = id === "" || this.#ids.has(id) ? `call_${createId().replaceAll("-", "")}` : id;
    this.#ids.add(own);
    return own;
  }

  /**
   * Collects a part of the answer for the next request. Consecutive texts of one kind (answer or thought) become one
   * part, unless one of them has a signature.
   */
  #keep(part: Part): void {
    const last = this.#parts.at(-1);
    if (last !== undefined && isPlain(last) && isPlain(part) && last.thought === part.thought) {
      last.text = `${last.text}${part.text}`;
    } else {
      this.#parts.push(part);
    }
  }
}

/**
 * Returns the candidate with index 0, or the first candidate if it has no index. A raw field of the request may ask for
 * several candidates, which arrive in any order.
 */
function firstOf(candidates: readonly Record<string, unknown>[]): Record<string, unknown> | undefined {
  const [candidate] = candidates;
  return (candidate?.["index"] ?? 0) === 0 ? candidate : candidates.find(({ index }) => index === 0);
}

/** Returns the finish reason `SAFETY` if Gemini refused the request, else `undefined`. */
function refusalOf({ promptFeedback }: WireAnswer): string | undefined {
  return readText(readObject(promptFeedback)["blockReason"]) === "" ? undefined : "SAFETY";
}

function isNameless({ functionCall }: Part): boolean {
  return functionCall !== undefined && (functionCall.name ?? "") === "";
}

/**
 * Returns true if a part consists only of a call that is `null`. If it has other fields, the `null` call comes from a
 * proxy and is ignored.
 */
function isNoCall(part: Readonly<Record<string, unknown>>): boolean {
  return part["functionCall"] === null && Object.keys(part).length === 1;
}

function isPlain({ text, thoughtSignature }: Part): boolean {
  return text !== undefined && thoughtSignature === undefined;
}
