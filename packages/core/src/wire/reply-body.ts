/** What a body may ask of the connection that feeds it. */
export type Flow = { pause(): void; resume(): void; abort(reason: Error): void };

type Step = IteratorResult<Uint8Array, undefined>;
type Reader = { resolve: (step: Step) => void; reject: (reason: unknown) => void };

/** What the connection is told then: one for all, since it takes time to make one with its stack. */
const leftUnread = new Error("The reply was left unread.");

/** What may lie here unread before the sender is told to wait. */
const mostUnread = 65_536;

/**
 * The bytes of one reply as they come from the socket, to be read once. A slow reader holds the sender back, and
 * leaving early closes the connection. Written by hand because a Node or web stream in between costs more than the
 * request itself.
 */
export class ReplyBody implements AsyncIterableIterator<Uint8Array, undefined> {
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

  next(): Promise<Step> {
    // Asked here too: a reply that has wholly come no longer listens to the signal.
    if (this.#signal?.aborted) this.abort(this.#signal.reason);
    if (this.#unread.length > 0) return Promise.resolve({ done: false, value: this.#takeUnread() });
    if (this.#failure !== undefined) return Promise.reject(this.#failure.reason);
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    if (this.#reader !== undefined) return Promise.reject(new TypeError("A read of this body is already waiting."));
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  /** Leaves the rest unread. */
  return(): Promise<Step> {
    const wasOver = this.#isOver;
    this.#unread.length = 0;
    this.end();
    if (!wasOver) this.#flow.abort(leftUnread);
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Takes what has come. */
  push(chunk: Uint8Array): void {
    if (this.#isOver) return;
    const reader = this.#takeReader();
    if (reader !== undefined) {
      reader.resolve({ done: false, value: chunk });
      return;
    }
    this.#unread.push(chunk);
    this.#unreadBytes += chunk.length;
    if (this.#unreadBytes < mostUnread || this.#isPaused) return;
    this.#isPaused = true;
    this.#flow.pause();
  }

  /** Nothing more will come. */
  end(): void {
    this.#isOver = true;
    this.#takeReader()?.resolve({ done: true, value: undefined });
  }

  /** The rest will not come. What came before can still be read. */
  fail(reason: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failure = { reason };
    this.#takeReader()?.reject(reason);
  }

  /** Nobody wants the rest: what came before is dropped too. */
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

  /** All in one piece: a packet of many small chunks then costs its reader one step, not one for each. */
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
