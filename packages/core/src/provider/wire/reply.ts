/** Headers of a reply as received: lower-case names, and an array if a name occurred several times. */
export type RawHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** An HTTP reply returned by `sendRequest`: the head, and the bytes of the body in order of arrival. */
export type RawReply = { status: number; headers: RawHeaders; body: ReplyBodyIterator };

/**
 * Returns one header of a reply as a string, or `undefined`. Several values are joined, as HTTP allows. `name` must be
 * in lower case.
 */
export function readReplyHeader(headers: RawHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "object" ? value.join(", ") : value;
}

/** Converts the headers of a reply to the standard `Headers`. */
export function toFetchHeaders(received: RawHeaders): Headers {
  const headers = new Headers();
  for (const [name, value = []] of Object.entries(received)) {
    for (const one of typeof value === "string" ? [value] : value) headers.append(name, one);
  }
  return headers;
}

/** Control of the connection that supplies a body. */
type Flow = { pause(): void; resume(): void; abort(reason: Error): void };

type NextBytes = IteratorResult<Uint8Array, undefined>;
type Reader = { resolve: (step: NextBytes) => void; reject: (reason: unknown) => void };

// The error with which the connection of an unread reply is closed. All replies share it, because creating an error
// with its stack would take longer than all other work of closing the connection.
const leftUnread = new Error("The reply was left unread.");

/** Number of unread bytes at which the connection is paused. */
const mostUnread = 65_536;

/**
 * Bytes of one reply in order of arrival from the socket, to be read once. A slow reader slows the sender down, and
 * leaving early closes the connection. Not a Node or web stream, which would cost more than the request itself.
 */
export class ReplyBodyIterator implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #flow: Flow;
  readonly #signal: AbortSignal | undefined;
  readonly #unread: Uint8Array[] = [];
  #unreadBytes = 0;
  #isPaused = false;
  #isOver = false;
  #failure: { reason: unknown } | undefined;
  #reader: Reader | undefined;

  constructor(flow: Flow, signal: AbortSignal | undefined) {
    this.#flow = flow;
    this.#signal = signal;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<NextBytes> {
    // The signal is checked here, because a reply that has arrived completely no longer listens to it.
    if (this.#signal?.aborted) this.abort(this.#signal.reason);
    if (this.#unread.length > 0) return Promise.resolve({ done: false, value: this.#takeUnread() });
    if (this.#failure !== undefined) return Promise.reject(this.#failure.reason);
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    if (this.#reader !== undefined) return Promise.reject(new TypeError("A read of this body is already waiting."));
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  /** Leaves the rest of the reply unread and closes the connection. */
  return(): Promise<NextBytes> {
    const wasOver = this.#isOver;
    this.#unread.length = 0;
    this.end();
    if (!wasOver) this.#flow.abort(leftUnread);
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Adds the next bytes of the reply. */
  push(chunk: Uint8Array): void {
    if (this.#isOver) return;
    const reader = this.#takeReader();
    if (reader !== undefined) {
      reader.resolve({ done: false, value: chunk });
      return;
    }
    this.#unread.push(chunk);
    this.#unreadBytes += chunk.byteLength;
    if (this.#unreadBytes < mostUnread || this.#isPaused) return;
    this.#isPaused = true;
    this.#flow.pause();
  }

  /** Ends the reply: no more bytes will follow. */
  end(): void {
    this.#isOver = true;
    this.#takeReader()?.resolve({ done: true, value: undefined });
  }

  /** Ends the reply with an error. Bytes received before can still be read. */
  fail(reason: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failure = { reason };
    this.#takeReader()?.reject(reason);
  }

  /** Aborts the reading of the reply, and also drops the bytes received before. */
  abort(reason: unknown): void {
    const isRead = this.#isOver && this.#unread.length === 0;
    if (isRead) return;
    this.#isOver = false;
    this.#unread.length = 0;
    this.fail(reason);
  }

  #takeReader(): Reader | undefined {
    const reader = this.#reader;
    this.#reader = undefined;
    return reader;
  }

  /** Returns all unread bytes in one piece, so that many small chunks cost the reader a single step. */
  #takeUnread(): Uint8Array {
    const [first] = this.#unread;
    const all = first !== undefined && this.#unread.length === 1 ? first : Buffer.concat(this.#unread);
    this.#unread.length = 0;
    this.#unreadBytes = 0;
    if (this.#isPaused) {
      this.#isPaused = false;
      this.#flow.resume();
    }
    return all;
  }
}

/**
 * Leaves an answer whose content is complete after waiting one second for its end. Time in which this process was busy
 * or not scheduled does not count, up to five seconds, because the end may have arrived in that time. Returns the timer
 * of the wait.
 */
export function leaveSoon(leave: () => void): ReturnType<typeof setTimeout> {
  let [ticks, quiet, idleBefore, tickedAt] = [0, 0, 0, performance.now()];
  const timer = setInterval(() => {
    const { idle } = performance.eventLoopUtilization();
    const now = performance.now();
    ticks += 1;
    // A late tick reveals a busy machine, on which the server may not have been scheduled either.
    const isLate = now - tickedAt > 2 * tickMs;
    if (!isLate && (ticks === 1 || idle - idleBefore > tickMs / 2)) quiet += 1;
    [idleBefore, tickedAt] = [idle, now];
    if (quiet < quietTicks && ticks < mostTicks) return;
    clearInterval(timer);
    leave();
  }, tickMs);
  return timer;
}

const [tickMs, quietTicks, mostTicks] = [250, 4, 20];

/**
 * Reads and drops the rest of a reply whose content is complete, so that its connection can serve the next request. For
 * providers, which may stop reading at the vendor's last event. A failure is ignored.
 */
export async function drainReply(bytes: AsyncIterator<unknown, unknown>): Promise<void> {
  const timer = leaveSoon(() => void bytes.return?.());
  try {
    while ((await bytes.next()).done !== true);
  } catch {
    // Failures to read the rest of a reply are ignored, because the answer was complete.
  } finally {
    clearTimeout(timer);
  }
}
