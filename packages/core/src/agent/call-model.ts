import { ResponseCollector } from "../model/response-collector.ts";
import type { ModelChunk } from "../model/model-chunk.ts";
import { callWithRetries } from "../retry/with-retry.ts";
import type { CallModel } from "./loop-plan.ts";
import { readResponse } from "./read-response.ts";

/** Calls the model for a whole answer. It has the form of the other, and nothing to stream. */
export const callWhole: CallModel = async function* ({ model, retry }, { messages, options, ids }) {
  yield* [];
  const generate = () => model.generate(messages, options);
  return ids.inResponse(readResponse(await callWithRetries(generate, retry, { signal: options.signal })));
};

/** Calls the model for a streamed answer. A failed call is repeated only as long as none of its chunks has come. */
export const callStreaming: CallModel = async function* ({ model, retry }, { messages, options, relay, ids }) {
  const collector = new ResponseCollector();
  const open = () => openStream(model.stream(messages, options));
  const { chunks, first } = await callWithRetries(open, retry, { signal: options.signal });
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

/** A stream whose first chunk has come. */
async function openStream(stream: AsyncIterable<ModelChunk>) {
  const chunks = stream[Symbol.asyncIterator]();
  return { chunks, first: await chunks.next() };
}

/** Ends the vendor's request when the reader left early. Not waited for: a provider may never come to its end. */
function leave(chunks: AsyncIterator<ModelChunk>): void {
  try {
    chunks.return?.().then(undefined, () => undefined);
  } catch {
    // A provider that throws here has nothing more to give.
  }
}
