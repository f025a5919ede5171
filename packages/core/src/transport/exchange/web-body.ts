import { Writable } from "node:stream";

/** The number of bytes in the stream at which its writer is asked to pause. */
const highWaterMark = 16_384;

/**
 * A writable stream whose bytes are read through a `ReadableStream`, each only when the reader asks for it. A reader
 * that cancels destroys the writable stream.
 */
export class WebBody extends Writable {
  readonly readable: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isWanted = false;
  #deliver: (() => void) | undefined;

  constructor() {
    super({ highWaterMark });
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#controller = controller),
        pull: () => this.#pull(),
        cancel: () => {
          this.#controller = undefined;
          this.destroy();
        },
      },
      // The `ReadableStream` buffers nothing itself: the writable stream already does.
      { highWaterMark: 0 },
    );
  }

  /** Ends the stream after its client has disconnected. It ends without an error, because the server would log one. */
  leave(): void {
    this.#controller?.close();
    this.#controller = undefined;
    this.destroy();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#deliver = () => {
      this.#isWanted = false;
      this.#deliver = undefined;
      this.#controller?.enqueue(bytes);
      done();
    };
    if (this.#isWanted) this.#deliver();
  }

  override _final(done: () => void): void {
    this.#controller?.close();
    this.#controller = undefined;
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#controller?.error(error ?? new Error("The answer was cut off."));
    this.#controller = undefined;
    done(error);
  }

  #pull(): void {
    this.#isWanted = true;
    this.#deliver?.();
  }
}
