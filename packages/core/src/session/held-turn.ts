import { abortedError } from "../errors/aborted-error.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import { untilAborted } from "../async/until-aborted.ts";

/**
 * A session's turn while somebody has it. A write that its caller no longer waits for may still reach the storage; if the
 * next run wrote in the meantime, the late one could replace what it wrote. So the turn goes on until the last write has
 * settled, whatever its outcome.
 */
export class HeldTurn {
  readonly #leave: () => void;
  #writing: Promise<void> | undefined;
  #isReleased = false;

  constructor(leave: () => void) {
    this.#leave = leave;
  }

  /** Writes, after any write still under way. An abort leaves the outcome unknown. */
  async write<Result>(operation: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    while (this.#writing !== undefined) await untilAborted(() => this.#writing ?? Promise.resolve(), signal);
    if (this.#isReleased) throw new TroupeError("internal", "This session was released: open it again to write.");
    if (signal?.aborted) throw abortedError(signal.reason);
    const write = operation();
    this.#track(write);
    return await untilAborted(() => write, signal);
  }

  /** Ends the turn. May be called more than once. */
  release(): void {
    this.#isReleased = true;
    if (this.#writing === undefined) this.#leave();
  }

  #track(write: Promise<unknown>): void {
    const settle = () => {
      this.#writing = undefined;
      if (this.#isReleased) this.#leave();
    };
    this.#writing = write.then(settle, settle);
  }
}
