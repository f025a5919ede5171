import { toModelError } from "../base/errors/to-model-error.ts";
import type { CallContext } from "../base/errors/to-model-error.ts";
import { stringifyArguments } from "../schema/parse-model-json.ts";
import { drainReply, leaveSoon } from "./wire/reply.ts";
import { WholeAnswer } from "./wire/stream-events.ts";
import type { EventBatch } from "./wire/stream-events.ts";
import type { ModelChunk } from "../model/model-chunk.ts";
import type { ModelResponse } from "../model/model-response.ts";

/**
 * The interface between a model provider and the transport of its requests: Troupe's HTTP, or the client of a vendor's
 * SDK. It is independent of how requests are written and answers are read.
 */
export interface Connection<Request, Event> {
  /** Sends a request and returns the vendor's whole answer, parsed. */
  send(request: Request, call: CallContext): Promise<unknown>;
  /** Sends a request and returns the vendor's parsed events, in batches as they arrive, once the answer has begun. */
  open(request: Request, call: CallContext): Promise<AsyncIterable<EventBatch<Event>>>;
}

/** Converts the events of one streamed answer to chunks. Each vendor has its own reader. */
export interface EventReader<Event> {
  /** True once the end of the answer was read. The rest of the stream is ignored. */
  readonly isComplete: boolean;
  /** True if the answer may be over. The stream is then read for only about one more second. */
  readonly isEnding?: boolean;
  /** Appends the chunks of an event. Throws if the event is an error. */
  read(event: Event, chunks: ModelChunk[]): void;
  /**
   * Called if the stream ends before `isComplete` is true. Appends the last chunks, or throws `TruncatedResponseError`
   * if the answer is incomplete.
   */
  end(chunks: ModelChunk[]): void;
}

/**
 * A streamed answer that has begun: its events, their reader, and the function that reads an answer which arrived as a
 * whole instead.
 */
type OpenAnswer<Event> = {
  events: AsyncIterable<EventBatch<Event>>;
  reader: EventReader<Event>;
  fromWhole: (body: unknown) => ModelResponse;
};

/** A model call that is ready to be sent and streamed. Errors of `open` become errors of the call. */
export type StreamedCall<Event> = { call: CallContext; open: () => Promise<OpenAnswer<Event>> };

/**
 * Makes the stream of a model call: sends the request that `prepare` wrote and reads its events. Returns the connection
 * to its pool, or closes it if the reader leaves early. Errors of `prepare` stay unchanged; later errors are converted
 * by `toModelError`.
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
      // The timer runs only while events are awaited, because the caller may take long to handle the chunks.
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

/** A model call that is ready to be sent and answered as a whole. Errors of `send` become errors of the call. */
export type WholeCall = { call: CallContext; send: () => Promise<ModelResponse> };

/**
 * Makes a model call whose answer arrives as a whole. Errors of `prepare` stay unchanged; errors of `send` are
 * converted by `toModelError`.
 */
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

/** Reads a batch of events into chunks. A failure is stored, so that the chunks before it are delivered first. */
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

/** Appends the chunks of the events, and returns true if the answer is complete. */
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

/** Returns the chunks of an answer that arrived as a whole. */
function toChunks(response: ModelResponse): ModelChunk[] {
  const { text, thinking = "", toolCalls, malformedArguments = [], sources = [], ...finish } = response;
  const chunks: ModelChunk[] = [];
  if (thinking !== "") chunks.push({ type: "thinking", text: thinking });
  if (text !== "") chunks.push({ type: "text", text });
  for (const { id, name, arguments: args } of toolCalls) {
    const damaged = malformedArguments.find(({ toolCallId }) => toolCallId === id);
    chunks.push(
      { type: "tool_call_start", toolCall: { id, name } },
      { type: "tool_call_delta", toolCallId: id, argumentsDelta: damaged?.text ?? stringifyArguments(args) },
      { type: "tool_call_end", toolCallId: id },
    );
  }
  for (const source of sources) chunks.push({ type: "source", ...source });
  chunks.push({ type: "finish", ...finish });
  return chunks;
}
