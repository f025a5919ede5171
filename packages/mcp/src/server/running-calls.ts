import { TroupeError } from "@troupe/core";

const closed = new TroupeError("cancelled", "The server is shutting down.");
const cancelled = new TroupeError("cancelled", "The client cancelled the call, or is gone.");

/** The shutdown of a service, which ends the runs that were added to it: that of `createShutdown` of `@troupe/http`. */
export type McpShutdown = {
  /** Ends these runs when the service ends. */
  add(runs: { readonly size: number; drain(): Promise<void>; endAll(): void }): unknown;
};

/** The calls of a server that run, for its end to abort. */
export class RunningCalls {
  readonly #running = new Set<AbortController>();
  readonly #byName = new Map<string, AbortController>();
  readonly #idle: (() => void)[] = [];
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
      if (this.#running.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
      if (name !== undefined && this.#byName.get(name) === controller) this.#byName.delete(name);
      for (const source of sources) source.removeEventListener("abort", abort);
    };
    return { signal: controller.signal, end };
  }

  /** The number of calls that run. */
  get size(): number {
    return this.#running.size;
  }

  /** Refuses calls from now on. Resolves when none runs any more. */
  async drain(): Promise<void> {
    this.#isClosed = true;
    if (this.#running.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
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
