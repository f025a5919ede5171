/** A call of a dependency whose promise is held until the plan releases it. */
type HeldCall = {
  readonly name: string;
  readonly succeed: () => void;
  readonly fail: ((error: Error) => void) | undefined;
};

/** Options of one held call. */
export type HoldOptions = {
  /** False for a call that never rejects. @default true */
  readonly canFail?: boolean;
  /** Rejects the call as soon as it aborts, like a dependency that listens to its signal. */
  readonly signal?: AbortSignal | undefined;
};

/** The pending promises of a subject's dependencies. None resolves before the plan releases it. */
export class HeldCalls {
  readonly #calls: HeldCall[] = [];
  /** The steps of the plan and their outcomes, in order. They are shown if the plan fails. */
  readonly trace: string[] = [];
  readonly #pending = new Set<string>();
  #wrong: string | undefined;
  #started = 0;

  /** The number of held calls. */
  get size(): number {
    return this.#calls.length;
  }

  /** The names of the operations that have not ended. */
  get pending(): string[] {
    return [...this.#pending];
  }

  /** The first fault that was found inside an operation or a dependency. */
  get wrong(): string | undefined {
    return this.#wrong;
  }

  /** Records a fault inside an operation or a dependency, where a thrown error would be lost. */
  check(isRight: boolean, wrong: string): void {
    if (!isRight) this.#wrong ??= wrong;
  }

  /** Returns a held promise. On its release, `work` makes its value or throws its error. */
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

  /** Starts an operation, and records when it ends. It may fail. */
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

  /** Releases one of the held calls, if there is any. `fails`: rejects it, if it may fail. */
  release(pick: number, fails: boolean): void {
    const [call] = this.#calls.splice(pick % this.#calls.length, 1);
    if (call === undefined) return;
    const isFailing = fails && call.fail !== undefined;
    this.trace.push(`${isFailing ? "fail" : "release"} ${call.name}`);
    if (isFailing) call.fail?.(new Error(`planned failure of ${call.name}`));
    else call.succeed();
  }
}
