import { abortedError } from "../base/errors/aborted-error.ts";
import { TroupeError } from "../base/errors/troupe-error.ts";
import type { ErrorCode } from "../base/errors/troupe-error.ts";
import { bindGenericKey, selectKey } from "./keys/select-key.ts";
import { addUsage, noUsage } from "../base/message/token-usage.ts";
import type { TokenUsage } from "../base/message/token-usage.ts";
import { isCancelled, isRetryable } from "../base/retry/is-retryable.ts";
import { leaveChunks } from "./model-attempt.ts";
import type { ModelAttemptEnd } from "./model-attempt.ts";
import type { ModelChunk, ModelFinish } from "./model-chunk.ts";
import type { ModelCallOptions } from "./model-config.ts";
import { modelOption } from "./model-option.ts";
import { keyOptions } from "./model-keys.ts";
import type { ModelProvider } from "./model-provider.ts";
import type { ModelResponse } from "./model-response.ts";
import { normalizeUsage } from "./normalize-usage.ts";
import type { ModelMessage } from "./vendor-state.ts";

/**
 * The codes of errors after which another vendor may be able to answer: this vendor cannot answer, or rejects the
 * request.
 */
const passedOn: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "model_failed",
  "context_too_long",
  "rate_limited",
  "timeout",
  "unauthorized",
  "unavailable",
  "unsupported_media_type",
]);

/**
 * Returns a model that calls the first of these models, and the next model if a call fails before its first chunk. The
 * next model is called after retryable errors, a rejected request, key or message part, and an empty answer that
 * finished with `error`. Other errors, such as the cancellation of the run, end the call. If all models fail, the last
 * retryable error is thrown, or else the last error. The answer has the usage of all calls and names the model that
 * gave it. Each vendor receives only its own key from the caller. The returned model has the ids of the first model.
 */
export function fallbackModel(first: ModelProvider, ...others: readonly ModelProvider[]): ModelProvider {
  const models = Array.from([first, ...others], (model: unknown, index) =>
    modelOption(model, `model ${index + 1} of fallbackModel`, {}),
  );
  if (models.length > 1) return new FallbackModel(models);
  throw new TroupeError("invalid_config", "fallbackModel must have two models or more, got 1. Use that model itself.");
}

/** A way to call a model of `fallbackModel`: by `generate`, or by `stream` up to its first chunk. */
type Way<Answer> = {
  readonly call: (model: ModelProvider, options: ModelCallOptions) => Promise<Answer>;
  /** Returns the usage of an empty answer that finished because of an error; `undefined` for any other answer. */
  readonly usageOfFailure: (answer: Answer) => TokenUsage | undefined;
};

/**
 * An answer of `fallbackModel` in progress. It has the model that answers, the usage of earlier failed answers, and the
 * function that reports the end of the model's call.
 */
type Begun<Answer> = {
  readonly answer: Answer;
  readonly model: ModelProvider;
  readonly lost: TokenUsage;
  readonly end: (end: ModelAttemptEnd) => void;
};

class FallbackModel implements ModelProvider {
  readonly providerId: string;
  readonly modelId: string;
  readonly providerIds: readonly string[];
  readonly #models: readonly ModelProvider[];

  constructor(models: readonly ModelProvider[]) {
    this.#models = models;
    const [first] = models as [ModelProvider];
    this.providerId = first.providerId;
    this.modelId = first.modelId;
    this.providerIds = [...new Set(models.flatMap(({ providerId, providerIds = [providerId] }) => providerIds))];
  }

  async generate(messages: readonly ModelMessage[], options: ModelCallOptions = {}): Promise<ModelResponse> {
    const call = async (model: ModelProvider, own: ModelCallOptions) => checkWhole(await model.generate(messages, own));
    const { answer, model, lost, end } = await this.#callFirst(
      { call, usageOfFailure: usageOfFailedResponse },
      options,
    );
    end({ usage: normalizeUsage(answer.usage), responseId: answer.responseId });
    return { ...answer, usage: withLost(answer.usage, lost), answeredBy: answer.answeredBy ?? idsOf(model) };
  }

  async *stream(messages: readonly ModelMessage[], options: ModelCallOptions = {}): AsyncGenerator<ModelChunk, void> {
    const call = async (model: ModelProvider, own: ModelCallOptions) => await openStream(model.stream(messages, own));
    const { answer, model, lost, end } = await this.#callFirst({ call, usageOfFailure: usageOfFailedStream }, options);
    const { chunks, first } = answer;
    try {
      for (let step: IteratorResult<ModelChunk, unknown> = { value: first }; step.done !== true;) {
        const chunk = step.value;
        if (chunk.type === "finish") end({ usage: normalizeUsage(chunk.usage), responseId: chunk.responseId });
        yield chunk.type === "finish" ? finishOf(chunk, model, lost) : chunk;
        step = await chunks.next();
      }
    } catch (error) {
      end({ error });
      if (lost !== noUsage) options.onLostUsage?.(lost);
      throw error;
    } finally {
      leaveChunks(chunks);
    }
  }

  /** Calls the models of `fallbackModel` in order, until a model begins to answer. Throws if no model does. */
  async #callFirst<Answer>({ call, usageOfFailure }: Way<Answer>, options: ModelCallOptions): Promise<Begun<Answer>> {
    const failures: unknown[] = [];
    const last = this.#models.at(-1);
    let lost = noUsage;
    const onLostUsage = (usage: TokenUsage) => void (lost = addUsage(lost, usage));
    const fail = (error: unknown): never => {
      if (lost !== noUsage) options.onLostUsage?.(lost);
      throw error;
    };
    for (const model of this.#models) {
      if (isAborted(options)) fail(abortedError(options.signal?.reason));
      const end = reportCall(model, options);
      try {
        const answer = await call(model, optionsFor(model, { ...options, onLostUsage }, this.providerId));
        const usage = model === last ? undefined : usageOfFailure(answer);
        if (usage === undefined) return { answer, model, lost, end };
        end({ usage });
        onLostUsage(usage);
      } catch (error) {
        end({ error });
        if (isAborted(options) || !mayPassOn(error)) fail(error);
        failures.push(error);
      }
    }
    return fail(failures.findLast(isRetryable) ?? failures.at(-1));
  }
}

function isAborted({ signal }: ModelCallOptions): boolean {
  return signal?.aborted === true;
}

/**
 * Reports the call of a model, and returns the function that reports its end. A model that itself calls other models
 * reports those calls instead.
 */
function reportCall(model: ModelProvider, { onModelCall }: ModelCallOptions): (end: ModelAttemptEnd) => void {
  const end = model.providerIds === undefined ? onModelCall?.(idsOf(model)) : undefined;
  return end ?? (() => undefined);
}

function idsOf({ providerId, modelId }: ModelProvider): { providerId: string; modelId: string } {
  return { providerId, modelId };
}

/** Returns the options of a call of one model, with the caller's keys for that model's vendors only. */
function optionsFor(
  { providerId, providerIds }: ModelProvider,
  { apiKey, apiKeys = {}, onModelCall, onLostUsage, ...options }: ModelCallOptions,
  boundTo: string,
): ModelCallOptions {
  const keys = bindGenericKey(apiKeys, apiKey, boundTo);
  return {
    ...options,
    ...keyOptions({ providerId, providerIds }, (id) => selectKey(keys, id)),
    ...(providerIds !== undefined && { onModelCall, onLostUsage }),
  };
}

function mayPassOn(error: unknown): boolean {
  if (isCancelled(error)) return false;
  return isRetryable(error) || (TroupeError.is(error) && passedOn.has(error.code));
}

/** Throws if a model's response has no finish reason. A third party's provider may return anything. */
function checkWhole(response: ModelResponse | undefined): ModelResponse {
  if (typeof response?.finishReason === "string") return response;
  throw new TroupeError("model_failed", "The model's answer ended before it was complete.");
}

function usageOfFailedResponse(response: ModelResponse): TokenUsage | undefined {
  const { text, toolCalls, thinking = "", finishReason, usage } = response;
  const isEmpty = text === "" && thinking === "" && Object.keys(toolCalls ?? []).length === 0;
  return isEmpty && finishReason === "error" ? normalizeUsage(usage) : undefined;
}

/** The open stream of a model, with its first chunk. */
type OpenedStream = { readonly chunks: AsyncIterator<ModelChunk>; readonly first: ModelChunk };

function usageOfFailedStream({ first }: OpenedStream): TokenUsage | undefined {
  return first.type === "finish" && first.finishReason === "error" ? normalizeUsage(first.usage) : undefined;
}

async function openStream(stream: AsyncIterable<ModelChunk>): Promise<OpenedStream> {
  const chunks = stream[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done !== true) return { chunks, first: first.value };
  throw new TroupeError("model_failed", "The model's answer ended before it began.");
}

function finishOf(finish: ModelFinish, model: ModelProvider, lost: TokenUsage): ModelFinish {
  const usage = withLost(finish.usage, lost);
  return { ...finish, usage, answeredBy: finish.answeredBy ?? idsOf(model) };
}

function withLost(usage: TokenUsage | undefined, lost: TokenUsage): TokenUsage {
  // If no earlier call failed, the usage stays as the vendor reported it, because the run warns about invalid usage.
  return lost === noUsage ? (usage ?? noUsage) : addUsage(lost, normalizeUsage(usage));
}
