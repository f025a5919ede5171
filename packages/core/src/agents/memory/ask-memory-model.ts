import { toTroupeError } from "../../base/errors/to-troupe-error.ts";
import type { ModelName } from "../../base/telemetry/operations.ts";
import type { OngoingOperation, Telemetry } from "../../base/telemetry/telemetry.ts";
import { addUsage, noUsage } from "../../base/message/token-usage.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import { normalizeUsage } from "../../model/normalize-usage.ts";
import { reportedAttempt } from "../../model/model-attempt.ts";
import type { ReportModelAttempt } from "../../model/model-attempt.ts";
import type { ModelConfig, ModelCallOptions } from "../../model/model-config.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import { keyOptions } from "../../model/model-keys.ts";
import { withRetry } from "../../base/retry/with-retry.ts";
import { untilAborted } from "../../base/async/until-aborted.ts";
import { startDeadline } from "../../base/async/start-deadline.ts";
import type { MemoryModelOptions } from "./memory-options.ts";

/** The time limit of a memory's model call in milliseconds: enough for a small model on the user's own machine. */
const timeoutMs = 60_000;

/** Arguments of `askMemoryModel`: the model, the messages and the settings of the call. */
export type MemoryModelCall = MemoryModelOptions & {
  model: ModelProvider;
  messages: readonly ChatMessage[];
  config?: ModelConfig;
  signal?: AbortSignal | undefined;
};

/**
 * Calls a model for a summary, for facts or for a title, with retries, and returns the text of its answer. Throws
 * `timeout` after 60 seconds in total, and does not wait for a model that ignores its signal.
 */
export function askMemoryModel(call: MemoryModelCall): Promise<string> {
  return call.telemetry === undefined ? ask(call) : observeMemoryCall(call.telemetry, call);
}

/** Calls a model as `askMemoryModel` does, and records the call in telemetry, with the usage of all its attempts. */
async function observeMemoryCall(telemetry: Telemetry, call: MemoryModelCall): Promise<string> {
  const { model, messages, config = {}, onUsage, onModelCall } = call;
  let usage = noUsage;
  const operation = telemetry.begin("model", {
    model: { providerId: model.providerId, modelId: model.modelId },
    isStream: false,
    settings: { temperature: config.temperature, maxTokens: config.maxTokens },
    messages: () => messages,
    tools: () => [],
  });
  const observed: MemoryModelCall = {
    ...call,
    onUsage: (billed) => {
      usage = addUsage(usage, billed);
      onUsage?.(billed);
    },
    onModelCall: (called) => noteAttempts(called, operation, onModelCall?.(called)),
  };
  try {
    const text = await operation.run(() => ask(observed));
    operation.end({ usage, answer: { text } });
    return text;
  } catch (error) {
    operation.end({ usage, error, isCancelled: call.signal?.aborted === true });
    throw error;
  }
}

function noteAttempts(
  { providerId, modelId }: ModelName,
  operation: OngoingOperation<"model">,
  report: ReportModelAttempt | undefined,
): ReportModelAttempt {
  return (attempt) => {
    const startedAt = performance.now();
    const end = report?.(attempt);
    return (ended) => {
      const facts = "error" in ended ? { error: toTroupeError(ended.error).code } : { usage: ended.usage };
      operation.note({
        type: "attempt",
        providerId,
        modelId,
        attempt,
        durationMs: performance.now() - startedAt,
        ...facts,
      });
      end?.(ended);
    };
  };
}

async function ask({
  model,
  messages,
  config,
  signal,
  apiKeyFor,
  onUsage,
  onModelCall,
}: MemoryModelCall): Promise<string> {
  const lateMessage = `The model call of the memory took longer than its limit of ${timeoutMs} ms.`;
  const deadline = startDeadline(timeoutMs, lateMessage, signal);
  const keys = keyOptions(model, (providerId) => apiKeyFor?.(providerId));
  const options = { ...config, ...keys, signal: deadline.signal, ...passedOnReports(model, { onModelCall, onUsage }) };
  const report = model.providerIds === undefined ? onModelCall?.(model) : undefined;
  const generate = async () => {
    const answer = await model.generate(messages, options);
    const usage = normalizeUsage(answer.usage);
    onUsage?.(usage);
    return { text: answer.text, usage, responseId: answer.responseId };
  };
  const attempt =
    report === undefined
      ? generate
      : (count: number) =>
          reportedAttempt(
            generate,
            () => report(count),
            (answer) => answer,
          );
  try {
    const retried = () => withRetry(attempt, {}, { signal: deadline.signal });
    return (await untilAborted(retried, deadline.signal)).text;
  } finally {
    deadline.end();
  }
}

/**
 * Returns the report functions for a model that calls other models: each of those calls is reported as a separate model
 * call.
 */
function passedOnReports(
  { providerIds }: ModelProvider,
  { onModelCall, onUsage: onLostUsage }: Pick<MemoryModelOptions, "onModelCall" | "onUsage">,
): Pick<ModelCallOptions, "onModelCall" | "onLostUsage"> {
  if (providerIds === undefined) return {};
  if (onModelCall === undefined) return { onLostUsage };
  return { onLostUsage, onModelCall: (called) => onModelCall(called)?.(1) ?? (() => undefined) };
}
