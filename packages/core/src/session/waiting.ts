import { abortedError } from "../errors/aborted-error.ts";
import { TroupeError } from "../errors/troupe-error.ts";

type Patience = { waitMs: number; signal?: AbortSignal | undefined };

/** Somebody who waits until it is their turn, their time is over, their signal aborts, or they leave. */
export class Waiting<Granted> {
  readonly #outcome = Promise.withResolvers<Granted>();
  readonly #signal: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #onEnd: () => void;
  #isOver = false;

  constructor({ waitMs, signal }: Patience, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#signal = signal;
    this.#timer = setTimeout(() => this.giveUp(busyTooLong(waitMs)), waitMs);
    signal?.addEventListener("abort", this.#onAbort, { once: true });
    this.granted.catch(() => {});
  }

  /** Its rejection is never unhandled. */
  get granted(): Promise<Granted> {
    return this.#outcome.promise;
  }

  grant(granted: Granted): void {
    this.#stop();
    this.#outcome.resolve(granted);
  }

  giveUp(error: unknown): void {
    this.#stop();
    this.#outcome.reject(error);
    this.#onEnd();
  }

  /** Ends the wait, or the turn that it led to. */
  leave(): void {
    if (this.#isOver) this.#onEnd();
    else this.giveUp(new TroupeError("cancelled", "The place in the line was given up."));
  }

  readonly #onAbort = (): void => this.giveUp(abortedError(this.#signal?.reason));

  #stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }
}

function busyTooLong(waitMs: number): TroupeError {
  return new TroupeError(
    "conflict",
    `The session stayed busy for ${waitMs} ms. A run that starts another on its own session waits for itself: give the ` +
      "inner one a session of its own.",
  );
}
