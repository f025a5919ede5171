type Bytes = AsyncIterableIterator<Uint8Array, undefined>;
type WebStream = ReadableStream<Uint8Array>;

/**
 * A reply's bytes in the form of `response.body`. `for await` and `getReader()` read them as they are; only the calls
 * that cannot do without one (`tee`, `pipeTo`, `pipeThrough`) build a web stream.
 */
export class PooledBody implements AsyncIterable<Uint8Array> {
  readonly #bytes: Bytes;
  #isLocked = false;
  #isUsed = false;

  constructor(bytes: Bytes) {
    this.#bytes = bytes;
  }

  get locked(): boolean {
    return this.#isLocked;
  }

  /** Whether anybody has begun to read. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  [Symbol.asyncIterator](): Bytes {
    return this.#lock();
  }

  values(): Bytes {
    return this.#lock();
  }

  getReader() {
    const bytes = this.#lock();
    return {
      read: () => bytes.next(),
      cancel: () => leave(bytes),
      releaseLock: () => {
        this.#isLocked = false;
      },
    };
  }

  cancel(): Promise<void> {
    return leave(this.#lock());
  }

  tee(): [WebStream, WebStream] {
    return this.#webStream().tee();
  }

  pipeTo(...to: Parameters<WebStream["pipeTo"]>): Promise<void> {
    return this.#webStream().pipeTo(...to);
  }

  pipeThrough(...through: Parameters<WebStream["pipeThrough"]>): ReadableStream {
    return this.#webStream().pipeThrough(...through);
  }

  #lock(): Bytes {
    if (this.#isLocked) throw new TypeError("The body is already being read.");
    this.#isLocked = true;
    this.#isUsed = true;
    return this.#bytes;
  }

  #webStream(): WebStream {
    const bytes = this.#lock();
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      const step = await bytes.next();
      if (step.done) controller.close();
      else controller.enqueue(step.value);
    };
    // Nothing is read ahead: what waits, waits in one place.
    return new ReadableStream({ pull, cancel: () => leave(bytes) }, { highWaterMark: 0 });
  }
}

async function leave(bytes: Bytes): Promise<void> {
  await bytes.return?.();
}
