import { Writable } from "node:stream";

/** Bytes that wait in the stream before its writer is asked to pause. */
const highWaterMark = 16_384;

/**
 * A writable stream whose bytes are read from a `ReadableStream`, each only when its reader asks for it. A reader that cancels
 * destroys the writable.
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
      // No bytes beside those of the writable.
      { highWaterMark: 0 },
    );
  }

  /** Ends the stream for a client that has left. Its server is told no error, which it would log. */
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
