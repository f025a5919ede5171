import { toTroupeError } from "../base/errors/to-troupe-error.ts";
import { TroupeError } from "../base/errors/troupe-error.ts";
import type { ModelMessage } from "../model/vendor-state.ts";
import type { ModelCallOptions } from "../model/model-config.ts";
import type { ModelProvider } from "../model/model-provider.ts";
import type { ModelResponse } from "../model/model-response.ts";
import { collectResponse } from "../model/response-collector.ts";
import type { ModelChunk } from "../model/model-chunk.ts";
import { sleep } from "../base/async/sleep.ts";
import { finishReasonOf, scriptedUsage, toAnswerObject, answerChunks } from "./scripted-answer.ts";
import type { ScriptedRequest, ScriptedAnswer } from "./scripted-answer.ts";

type AnswerObject = ReturnType<typeof toAnswerObject>;

/**
 * One recorded call of a `ScriptedModel`. `end` is its outcome; `abandoned` means that the reader of the stream stopped
 * early.
 */
export type ScriptedCall = ScriptedRequest & {
  kind: "generate" | "stream";
  end: "running" | "completed" | "failed" | "cancelled" | "abandoned";
};

/** An answer, or a function that makes the answer from the request. */
type Script = ScriptedAnswer | ((request: ScriptedRequest) => ScriptedAnswer);

/**
 * A model for tests: it gives scripted answers in order and records its calls. A call beyond the last answer fails, and
 * `assertDone` throws while an answer is unused.
 */
export class ScriptedModel implements ModelProvider {
  readonly providerId: string = "scripted";
  readonly modelId: string = "scripted-1";
  readonly calls: ScriptedCall[] = [];
  readonly #script: Script[];
  #answerRest: ((request: ScriptedRequest) => ScriptedAnswer) | undefined;

  constructor(...answers: Script[]) {
    this.#script = answers;
  }

  /** Sets the answer to calls beyond the scripted answers. */
  respond(answer: (request: ScriptedRequest) => ScriptedAnswer): this {
    this.#answerRest = answer;
    return this;
  }

  /** Throws if a scripted answer was not used. */
  assertDone(): void {
    if (this.#script.length === 0) return;
    throw new TroupeError(
      "internal",
      `The model has ${this.#script.length} unused answer(s) left. Expected a call for each.`,
    );
  }

  async generate(messages: readonly ModelMessage[], options: ModelCallOptions = {}): Promise<ModelResponse> {
    return await collectResponse(this.#answer("generate", messages, options));
  }

  stream(messages: readonly ModelMessage[], options: ModelCallOptions = {}): AsyncIterable<ModelChunk> {
    return this.#answer("stream", messages, options);
  }

  async *#answer(
    kind: ScriptedCall["kind"],
    messages: readonly ModelMessage[],
    options: ModelCallOptions,
  ): AsyncGenerator<ModelChunk, void> {
    // The messages of the recorded call are copied, because the caller keeps changing them.
    const call: ScriptedCall = { kind, messages: messages.map((message) => ({ ...message })), options, end: "running" };
    this.calls.push(call);
    try {
      yield* this.#chunks(toAnswerObject(this.#nextAnswer(call)), options.signal);
      call.end = "completed";
    } catch (error) {
      call.end = options.signal?.aborted ? "cancelled" : "failed";
      throw toTroupeError(error, options.signal);
    } finally {
      if (call.end === "running") call.end = "abandoned";
    }
  }

  #nextAnswer(request: ScriptedRequest): ScriptedAnswer {
    const next = this.#script.shift() ?? this.#answerRest;
    if (next === undefined)
      throw new TroupeError(
        "internal",
        "The model was called once more than its script has answers. Add an answer, or set an answer with respond().",
      );
    return typeof next === "function" ? next(request) : next;
  }

  async *#chunks(answer: AnswerObject, signal: AbortSignal | undefined): AsyncGenerator<ModelChunk, void> {
    await wait(answer.hang === true ? Infinity : answer.delayMs, signal);
    for (const chunk of answerChunks(answer)) {
      yield chunk;
      await wait(answer.chunkDelayMs, signal);
    }
    if (answer.error !== undefined) throw answer.error;
    yield this.#finish(answer);
  }

  #finish(answer: AnswerObject): ModelChunk {
    const { providerId, modelId } = this;
    const finishReason = finishReasonOf(answer);
    return {
      type: "finish",
      finishReason,
      usage: answer.usage ?? scriptedUsage,
      model: modelId,
      ...(answer.responseId !== undefined && { responseId: answer.responseId }),
      ...(answer.vendorState !== undefined && { vendorState: { providerId, modelId, items: answer.vendorState } }),
      ...(answer.storedVendorState !== undefined && {
        vendorState: { providerId, modelId, items: answer.storedVendorState, stored: true as const },
      }),
    };
  }
}

/** Waits `ms` milliseconds, or forever for `Infinity`. Rejects if the signal aborts. */
async function wait(ms: number | undefined, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  if (ms === undefined) return;
  if (ms !== Infinity) return await sleep(ms, signal);
  await new Promise((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
