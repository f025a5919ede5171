/** A call of a dependency whose promise is held until the plan lets it go. */
type HeldCall = {
  readonly name: string;
  readonly succeed: () => void;
  readonly fail: ((error: Error) => void) | undefined;
};

/** Options of one held call. */
export type HoldOptions = {
  /** False for a call that never rejects. @default true */
  readonly canFail?: boolean;
  /** Rejects the call at once when it aborts, as a dependency does that listens to its signal. */
  readonly signal?: AbortSignal | undefined;
};

/** The promises that the dependencies of a subject have given out. None resolves before the plan says so. */
export class HeldCalls {
  readonly #calls: HeldCall[] = [];
  /** The steps of the plan and their outcomes, in order. They are shown when the plan fails. */
  readonly trace: string[] = [];
  readonly #pending = new Set<string>();
  #wrong: string | undefined;
  #started = 0;

  /** The number of calls that are held. */
  get size(): number {
    return this.#calls.length;
  }

  /** The operations that have not ended. */
  get pending(): string[] {
    return [...this.#pending];
  }

  /** The first thing that was found wrong within an operation or a dependency. */
  get wrong(): string | undefined {
    return this.#wrong;
  }

  /** Notes what is wrong within an operation or a dependency, whose own failure would end there. */
  check(isRight: boolean, wrong: string): void {
    if (!isRight) this.#wrong ??= wrong;
  }

  /** Returns a promise that is held. `work` makes its value when it is let go, or throws its error. */
  async hold<Value>(name: string, work: () => Value, { canFail = true, signal }: HoldOptions = {}): Promise<Value> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const call: HeldCall = { name, succeed: resolve, fail: canFail ? reject : undefined };
    const abort = (): void => {
      this.#calls.splice(this.#calls.indexOf(call), 1);
      reject(signal?.reason as Error);
    };
    this.#calls.push(call);
    signal?.addEventListener("abort", abort, { once: true });
    try {
      await promise;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
    return work();
  }

  /** Begins an operation, and notes when it ends. It may fail. */
  begin(name: string, operation: () => unknown): void {
    const label = `${name} #${(this.#started += 1)}`;
    this.trace.push(`begin ${label}`);
    const run = async (): Promise<unknown> => await operation();
    this.#pending.add(label);
    const end = (how: string): void => {
      this.#pending.delete(label);
      this.trace.push(`  ${label} ${how}`);
    };
    run().then(
      () => end("ends"),
      (error: unknown) => end(`fails: ${String(error)}`),
    );
  }

  /** Lets one of the held calls go, if there is any: with a failure, where it may fail. */
  release(pick: number, fails: boolean): void {
    const [call] = this.#calls.splice(pick % this.#calls.length, 1);
    if (call === undefined) return;
    const isFailing = fails && call.fail !== undefined;
    this.trace.push(`${isFailing ? "fail" : "release"} ${call.name}`);
    if (isFailing) call.fail?.(new Error(`planned failure of ${call.name}`));
    else call.succeed();
  }
}
