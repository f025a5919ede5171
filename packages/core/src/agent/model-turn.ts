import type { ChatMessage } from "../message/message.ts";
import type { ModelOptions } from "../model/model-config.ts";
import type { ModelProvider } from "../model/model-provider.ts";
import type { ModelResponse } from "../model/model-response.ts";
import { ResponseCollector } from "../model/response-collector.ts";
import type { StreamChunk } from "../model/stream-chunk.ts";
import type { RetryConfig } from "../retry/retry-config.ts";
import { withRetry } from "../retry/with-retry.ts";
import { readResponse } from "./read-response.ts";
import type { TurnCallIds } from "./turn-call-ids.ts";

/** Says what of a chunk the reader is shown. */
type Relay = (chunk: StreamChunk) => StreamChunk | undefined | Promise<StreamChunk | undefined>;

/** One call of a model. */
export type ModelCall = {
  model: ModelProvider;
  messages: readonly ChatMessage[];
  options: ModelOptions & { signal: AbortSignal };
  retry: Partial<RetryConfig>;
  relay: Relay;
  ids: TurnCallIds;
};

/** One answer of a model: yields what it streams, if it does, and returns the whole. */
export type ModelTurn = (call: ModelCall) => AsyncGenerator<StreamChunk, ModelResponse>;

/** Asks for the answer as a whole: it has the form of the other turn, and nothing to stream. */
export const generateTurn: ModelTurn = async function* ({ model, messages, options, retry, ids }) {
  yield* [];
  const generate = () => model.generate(messages, options);
  return ids.inResponse(readResponse(await withRetry(generate, retry, { signal: options.signal })));
};

/** Streams the answer. It is asked for again only as long as nothing of it has come. */
export const streamTurn: ModelTurn = async function* ({ model, messages, options, retry, relay, ids }) {
  const collector = new ResponseCollector();
  const open = () => openStream(model.stream(messages, options));
  const { chunks, first } = await withRetry(open, retry, { signal: options.signal });
  try {
    for (let step = first; step.done !== true; step = await chunks.next()) {
      const chunk = ids.inChunk(step.value);
      collector.add(chunk);
      const relayed = relay(chunk);
      const shown = relayed instanceof Promise ? await relayed : relayed;
      if (shown !== undefined) yield shown;
    }
    return readResponse(collector.finish());
  } finally {
    leave(chunks);
  }
};

/** A stream whose first chunk is there. */
async function openStream(stream: AsyncIterable<StreamChunk>) {
  const chunks = stream[Symbol.asyncIterator]();
  return { chunks, first: await chunks.next() };
}

/** Ends the vendor's request when the reader left early. Nobody waits for a provider that does not come to its end. */
function leave(chunks: AsyncIterator<StreamChunk>): void {
  try {
    chunks.return?.().then(undefined, () => undefined);
  } catch {
    // A provider that cannot even be left has nothing more to say.
  }
}
