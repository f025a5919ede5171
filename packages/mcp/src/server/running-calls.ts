import { TroupeError } from "@troupe/core";

const closed = new TroupeError("cancelled", "The server is shutting down.");
const cancelled = new TroupeError("cancelled", "The client cancelled the call, or is gone.");

/** The calls of a server that run, for its end to abort. */
export class RunningCalls {
  readonly #running = new Set<AbortController>();
  readonly #byName = new Map<string, AbortController>();
  #isClosed = false;

  /**
   * Notes a call. Its signal aborts with the first of those given, when it is cancelled by its name, and when all calls are
   * ended. `end` forgets the call.
   */
  begin(
    name: string | undefined,
    signals: readonly (AbortSignal | undefined)[],
  ): { signal: AbortSignal; end: () => void } {
    const controller = new AbortController();
    const sources = signals.filter((each) => each !== undefined);
    const abort = (): void => controller.abort(cancelled);
    if (this.#isClosed) controller.abort(closed);
    else if (sources.some(({ aborted }) => aborted)) abort();
    this.#running.add(controller);
    if (name !== undefined) this.#byName.set(name, controller);
    for (const source of sources) source.addEventListener("abort", abort);
    const end = (): void => {
      this.#running.delete(controller);
      if (name !== undefined && this.#byName.get(name) === controller) this.#byName.delete(name);
      for (const source of sources) source.removeEventListener("abort", abort);
    };
    return { signal: controller.signal, end };
  }

  /** Cancels the call of this name, if it runs. */
  cancel(name: string): void {
    this.#byName.get(name)?.abort(cancelled);
  }

  /** Ends all calls, and those that still come. */
  endAll(): void {
    this.#isClosed = true;
    for (const controller of this.#running) controller.abort(closed);
  }
}
