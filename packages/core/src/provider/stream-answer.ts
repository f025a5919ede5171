import { toModelError } from "../base/errors/to-model-error.ts";
import type { CallContext } from "../base/errors/to-model-error.ts";
import { writeArguments } from "../schema/parse-model-json.ts";
import { drainReply, leaveSoon } from "./wire/reply.ts";
import { WholeAnswer } from "./wire/stream-events.ts";
import type { EventBatch } from "./wire/stream-events.ts";
import type { ModelChunk } from "../model/model-chunk.ts";
import type { ModelResponse } from "../model/model-response.ts";

/**
 * The joint between a model provider and what carries its requests: our HTTP, or the client of the vendor's SDK. Neither knows how
 * requests are written and answers are read.
 */
export interface Connection<Request, Event> {
  /** Sends a request and returns the vendor's whole answer, parsed. */
  send(request: Request, call: CallContext): Promise<unknown>;
  /** Sends a request and returns the vendor's parsed events, in batches as they arrive, once the answer has begun. */
  open(request: Request, call: CallContext): Promise<AsyncIterable<EventBatch<Event>>>;
}

/** Converts the events of one streamed answer to chunks. Each vendor has its own. */
export interface EventReader<Event> {
  /** True once the end of the answer was read. The rest of the stream is not read. */
  readonly isComplete: boolean;
  /** True when the answer may be over: only a second is waited for more. */
  readonly isEnding?: boolean;
  /** Appends the chunks of an event. Throws when the event is an error. */
  read(event: Event, chunks: ModelChunk[]): void;
  /** Appends the last chunks after the last event. Throws `TruncatedResponseError` when the answer is not complete. */
  end(chunks: ModelChunk[]): void;
}

/** A streamed answer that has begun: its events, their reader, and the function for an answer that came whole instead. */
type OpenAnswer<Event> = {
  events: AsyncIterable<EventBatch<Event>>;
  reader: EventReader<Event>;
  fromWhole: (body: unknown) => ModelResponse;
};

/** A model call that is ready to be sent and streamed. Errors of `open` become those of the call. */
export type StreamedCall<Event> = { call: CallContext; open: () => Promise<OpenAnswer<Event>> };

/**
 * Makes the stream of a model call: sends the request that `prepare` wrote, reads its events, and returns the
 * connection to its pool or, when the reader leaves early, ends it. Errors of `prepare` stay as they are; later ones are those of
 * `toModelError`.
 *
 * @yields the chunks of the answer
 */
export async function* streamAnswer<Event>(
  prepare: () => Promise<StreamedCall<Event>>,
): AsyncGenerator<ModelChunk, void, undefined> {
  const { call, open } = await prepare();
  const { signal } = call;
  let events: AsyncIterator<EventBatch<Event>> | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    signal?.throwIfAborted();
    const answer = await open();
    const opened = (events = answer.events[Symbol.asyncIterator]());
    for (let isOver = false; !isOver;) {
      // Only for the wait: the rest may come slowly, or be read slowly.
      if (answer.reader.isEnding === true) timer = leaveSoon(() => void opened.return?.());
      const step = await opened.next();
      clearTimeout(timer);
      const batch = readBatch(step, answer);
      for (const chunk of batch.chunks) {
        signal?.throwIfAborted();
        yield chunk;
      }
      throwFailure(batch);
      isOver = batch.isLast;
    }
    await drainReply(opened);
  } catch (error) {
    throw toModelError(error, call);
  } finally {
    clearTimeout(timer);
    await events?.return?.();
  }
}

/** A model call that is ready to be sent and answered as a whole. Errors of `send` become those of the call. */
export type WholeCall = { call: CallContext; send: () => Promise<ModelResponse> };

/** Makes a model call whose answer comes as a whole. Errors of `prepare` stay as they are; those of `send` become those of `toModelError`. */
export async function generateAnswer(prepare: () => Promise<WholeCall>): Promise<ModelResponse> {
  const { call, send } = await prepare();
  try {
    call.signal?.throwIfAborted();
    return await send();
  } catch (error) {
    throw toModelError(error, call);
  }
}

function throwFailure({ failure }: Batch): void {
  if (failure !== undefined) throw failure.thrown;
}

type Batch = { chunks: ModelChunk[]; isLast: boolean; failure?: { thrown: unknown } };

/** Reads a batch of events into chunks. A failure is kept, so that the chunks before it are delivered first. */
function readBatch<Event>(step: IteratorResult<EventBatch<Event>, unknown>, answer: OpenAnswer<Event>): Batch {
  const batch: Batch = { chunks: [], isLast: step.done === true };
  try {
    if (step.done === true) answer.reader.end(batch.chunks);
    else batch.isLast = readEvents(step.value, answer, batch.chunks);
  } catch (thrown) {
    batch.failure = { thrown };
  }
  return batch;
}

/** Appends the chunks of the events, and returns true when the answer is complete. */
function readEvents<Event>(
  events: EventBatch<Event>,
  { reader, fromWhole }: OpenAnswer<Event>,
  chunks: ModelChunk[],
): boolean {
  for (const event of events) {
    if (event instanceof WholeAnswer) {
      chunks.push(...toChunks(fromWhole(event.body)));
      return true;
    }
    reader.read(event, chunks);
    if (reader.isComplete) return true;
  }
  return false;
}

/** Returns the chunks of an answer that came as a whole. */
function toChunks(response: ModelResponse): ModelChunk[] {
  const { text, thinking = "", toolCalls, malformedArguments = [], sources = [], ...finish } = response;
  const chunks: ModelChunk[] = [];
  if (thinking !== "") chunks.push({ type: "thinking", text: thinking });
  if (text !== "") chunks.push({ type: "text", text });
  for (const { id, name, arguments: args } of toolCalls) {
    const damaged = malformedArguments.find(({ toolCallId }) => toolCallId === id);
    chunks.push(
      { type: "tool_call_start", toolCall: { id, name } },
      { type: "tool_call_delta", toolCallId: id, argumentsDelta: damaged?.text ?? writeArguments(args) },
      { type: "tool_call_end", toolCallId: id },
    );
  }
  for (const source of sources) chunks.push({ type: "source", ...source });
  chunks.push({ type: "finish", ...finish });
  return chunks;
}
