import type { ChatMessage } from "../../base/message/message.ts";
import { normalizeUsage } from "../../model/normalize-usage.ts";
import { reportedAttempt } from "../../model/model-attempt.ts";
import type { ModelConfig, ModelCallOptions } from "../../model/model-config.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import { keyOptions } from "../../model/model-keys.ts";
import { withRetry } from "../../base/retry/with-retry.ts";
import { untilAborted } from "../../base/async/until-aborted.ts";
import { startDeadline } from "../../base/async/start-deadline.ts";
import type { MemoryModelOptions } from "./memory-options.ts";

/** The time limit of a memory's model call in milliseconds: enough for a small model on the user's own machine. */
const timeoutMs = 60_000;

/** Arguments of `askMemoryModel`: the model, its messages and its settings. */
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
export async function askMemoryModel({
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
  const ask = async () => {
    const answer = await model.generate(messages, options);
    const usage = normalizeUsage(answer.usage);
    onUsage?.(usage);
    return { text: answer.text, usage, responseId: answer.responseId };
  };
  const attempt =
    report === undefined
      ? ask
      : (count: number) =>
          reportedAttempt(
            ask,
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
 * Returns the report functions for a model that calls other models: each of these calls is reported as a model call of
 * its own.
 */
function passedOnReports(
  { providerIds }: ModelProvider,
  { onModelCall, onUsage: onLostUsage }: Pick<MemoryModelOptions, "onModelCall" | "onUsage">,
): Pick<ModelCallOptions, "onModelCall" | "onLostUsage"> {
  if (providerIds === undefined) return {};
  if (onModelCall === undefined) return { onLostUsage };
  return { onLostUsage, onModelCall: (called) => onModelCall(called)?.(1) ?? (() => undefined) };
}
