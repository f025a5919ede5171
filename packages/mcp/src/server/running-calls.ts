import { TroupeError } from "@troupe/core";

const cancelled = new TroupeError("cancelled", "The client cancelled the call, or is gone.");

/**
 * The tool calls that are not over: they wait for a run, or for the sending of their answer. A client cancels its call
 * by the call's name (session id and request id); the service itself ends the runs.
 */
export class RunningCalls {
  readonly #byName = new Map<string, AbortController>();
  readonly #idle: (() => void)[] = [];
  #size = 0;

  /** The number of calls that are not over. */
  get size(): number {
    return this.#size;
  }

  /**
   * Adds a tool call, and returns the signal that the call must obey: it aborts with the first of the given signals, or
   * when the client cancels the call by `name`. `end` removes the call.
   */
  begin(
    name: string | undefined,
    signals: readonly (AbortSignal | undefined)[],
  ): { signal: AbortSignal; end: () => void } {
    const controller = new AbortController();
    const sources = signals.filter((each) => each !== undefined);
    const abort = (): void => controller.abort(cancelled);
    if (sources.some(({ aborted }) => aborted)) abort();
    this.#size++;
    if (name !== undefined) this.#byName.set(name, controller);
    for (const source of sources) source.addEventListener("abort", abort);
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      this.#size--;
      if (this.#size === 0) for (const resolve of this.#idle.splice(0)) resolve();
      if (name !== undefined && this.#byName.get(name) === controller) this.#byName.delete(name);
      for (const source of sources) source.removeEventListener("abort", abort);
    };
    return { signal: controller.signal, end };
  }

  /** Cancels the tool call with this name, if it is active. */
  cancel(name: string): void {
    this.#byName.get(name)?.abort(cancelled);
  }

  /** Resolves once no call is left. */
  async untilIdle(): Promise<void> {
    if (this.#size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }
}
