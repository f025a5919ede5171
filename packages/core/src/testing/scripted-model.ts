import { toTroupeError } from "../errors/to-troupe-error.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import type { ModelMessage } from "../model/vendor-state.ts";
import type { ModelOptions } from "../model/model-config.ts";
import type { ModelProvider } from "../model/model-provider.ts";
import type { ModelResponse } from "../model/model-response.ts";
import { collectResponse } from "../model/response-collector.ts";
import type { ModelChunk } from "../model/model-chunk.ts";
import { sleep } from "../async/sleep.ts";
import { finishReasonOf, scriptedUsage, spellOut, turnChunks } from "./scripted-turn.ts";
import type { ScriptedRequest, ScriptedTurn } from "./scripted-turn.ts";

type SpelledTurn = ReturnType<typeof spellOut>;

/**
 * One recorded call of a `ScriptedModel`. `end` is its outcome; `left` means that the reader of the stream stopped
 * early.
 */
export type ScriptedCall = ScriptedRequest & {
  kind: "generate" | "stream";
  end: "running" | "completed" | "failed" | "cancelled" | "left";
};

/** A turn, or a function that makes it from the request. */
type Script = ScriptedTurn | ((request: ScriptedRequest) => ScriptedTurn);

/**
 * A model for tests: it answers with scripted turns, in order, and records its calls. A call beyond the last turn
 * fails, and `assertDone` throws while a turn is left.
 */
export class ScriptedModel implements ModelProvider {
  readonly providerId: string = "scripted";
  readonly modelId: string = "scripted-1";
  readonly calls: ScriptedCall[] = [];
  readonly #script: Script[];
  #answerRest: ((request: ScriptedRequest) => ScriptedTurn) | undefined;

  constructor(...turns: Script[]) {
    this.#script = turns;
  }

  /** Sets the answer to calls beyond the scripted turns. */
  respond(answer: (request: ScriptedRequest) => ScriptedTurn): this {
    this.#answerRest = answer;
    return this;
  }

  /** Throws when a scripted turn was not used. */
  assertDone(): void {
    if (this.#script.length === 0) return;
    throw new TroupeError(
      "internal",
      `The model has ${this.#script.length} unused turn(s) left. Expected a call for each.`,
    );
  }

  async generate(messages: readonly ModelMessage[], options: ModelOptions = {}): Promise<ModelResponse> {
    return await collectResponse(this.#answer("generate", messages, options));
  }

  stream(messages: readonly ModelMessage[], options: ModelOptions = {}): AsyncIterable<ModelChunk> {
    return this.#answer("stream", messages, options);
  }

  async *#answer(
    kind: ScriptedCall["kind"],
    messages: readonly ModelMessage[],
    options: ModelOptions,
  ): AsyncGenerator<ModelChunk, void> {
    // Copies, since the caller keeps changing its messages.
    const call: ScriptedCall = { kind, messages: messages.map((message) => ({ ...message })), options, end: "running" };
    this.calls.push(call);
    try {
      yield* this.#chunks(spellOut(this.#nextTurn(call)), options.signal);
      call.end = "completed";
    } catch (error) {
      call.end = options.signal?.aborted ? "cancelled" : "failed";
      throw toTroupeError(error, options.signal);
    } finally {
      if (call.end === "running") call.end = "left";
    }
  }

  #nextTurn(request: ScriptedRequest): ScriptedTurn {
    const next = this.#script.shift() ?? this.#answerRest;
    if (next === undefined)
      throw new TroupeError(
        "internal",
        "The model was called once more than its script has turns. Add a turn, or set an answer with respond().",
      );
    return typeof next === "function" ? next(request) : next;
  }

  async *#chunks(turn: SpelledTurn, signal: AbortSignal | undefined): AsyncGenerator<ModelChunk, void> {
    await wait(turn.hang === true ? Infinity : turn.delayMs, signal);
    for (const chunk of turnChunks(turn)) {
      yield chunk;
      await wait(turn.chunkDelayMs, signal);
    }
    if (turn.error !== undefined) throw turn.error;
    yield this.#finish(turn);
  }

  #finish(turn: SpelledTurn): ModelChunk {
    const { providerId, modelId } = this;
    const finishReason = finishReasonOf(turn);
    return {
      type: "finish",
      finishReason,
      usage: turn.usage ?? scriptedUsage,
      model: modelId,
      ...(turn.responseId !== undefined && { responseId: turn.responseId }),
      ...(turn.vendorState !== undefined && { vendorState: { providerId, modelId, items: turn.vendorState } }),
    };
  }
}

/** Waits `ms` milliseconds, without end for `Infinity`. Rejects when the signal aborts. */
async function wait(ms: number | undefined, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  if (ms === undefined) return;
  if (ms !== Infinity) return await sleep(ms, signal);
  await new Promise((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
