import type { ChatMessage } from "../message/message.ts";
import type { ModelConfig } from "../model/model-config.ts";
import type { ModelProvider } from "../model/model-provider.ts";
import { withRetry } from "../retry/with-retry.ts";
import { untilAborted } from "../async/until-aborted.ts";
import { startDeadline } from "../async/deadline.ts";
import type { ModelAccount } from "./memory-options.ts";

/** Enough for a small model on a machine of one's own; nobody waits longer for a note. */
const longestWaitMs = 60_000;

/** One question to a model, and who pays for it. */
export type Question = ModelAccount & {
  model: ModelProvider;
  messages: readonly ChatMessage[];
  config?: ModelConfig;
  signal?: AbortSignal | undefined;
};

/** Asks once and gives the text of the answer; a model that takes no notice of its signal is left alone. */
export async function askModel({ model, messages, config, signal, apiKeyFor, onUsage }: Question): Promise<string> {
  const deadline = startDeadline("a call for the memory", longestWaitMs, signal);
  const apiKey = apiKeyFor?.(model.providerId);
  const options = { ...config, ...(apiKey !== undefined && { apiKey }), signal: deadline.signal };
  const ask = async () => {
    const answer = await model.generate(messages, options);
    onUsage?.(answer.usage);
    return answer.text;
  };
  try {
    return await untilAborted(() => withRetry(ask, {}, { signal: deadline.signal }), deadline.signal);
  } finally {
    deadline.end();
  }
}
