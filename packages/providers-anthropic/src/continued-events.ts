import type { EventBatch } from "@troupe/core/provider";
import type { AnthropicEventReader } from "./from-events.ts";
import type { Request } from "./to-request.ts";
import type { WireEvent } from "./wire-types.ts";

/** A function that sends a request and returns the events of its answer. */
type Open = (request: Request) => Promise<AsyncIterable<EventBatch<WireEvent>>>;
type Step = IteratorResult<EventBatch<WireEvent>, unknown>;

/**
 * The events of an answer and of its continuations. The vendor pauses an answer if its own tools take many steps, and
 * continues it when it receives that part of the answer again. Not a generator, which would need more promises per
 * batch.
 */
export class ContinuedEvents implements AsyncIterableIterator<EventBatch<WireEvent>, unknown> {
  readonly #request: Request;
  readonly #reader: AnthropicEventReader;
  readonly #open: Open;
  #events: AsyncIterator<EventBatch<WireEvent>, unknown>;
  #isLeft = false;

  private constructor(
    request: Request,
    reader: AnthropicEventReader,
    opened: { open: Open; events: AsyncIterable<EventBatch<WireEvent>> },
  ) {
    this.#request = request;
    this.#reader = reader;
    this.#open = opened.open;
    this.#events = opened.events[Symbol.asyncIterator]();
  }

  /**
   * Sends the request and returns the events of its answer. The caller must pass each event to `reader`, which knows
   * when the answer is paused.
   */
  static async open(request: Request, reader: AnthropicEventReader, open: Open): Promise<ContinuedEvents> {
    return new ContinuedEvents(request, reader, { open, events: await open(request) });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Step> {
    return this.#reader.isPaused && !this.#isLeft ? this.#continue() : this.#events.next();
  }

  async return(): Promise<Step> {
    this.#isLeft = true;
    await this.#events.return?.();
    return { done: true, value: undefined };
  }

  async #continue(): Promise<Step> {
    await this.#events.return?.();
    const { body, version } = this.#request;
    const { content, container } = this.#reader.resume();
    const messages = content.length === 0 ? body.messages : [...body.messages, { role: "assistant" as const, content }];
    const events = await this.#open({
      version,
      body: { ...body, messages, ...(container !== undefined && { container }) },
    });
    this.#events = events[Symbol.asyncIterator]();
    // The reader of the events may have stopped while the request was sent.
    if (this.#isLeft) return await this.return();
    return await this.#events.next();
  }
}
