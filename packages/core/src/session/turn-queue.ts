import { abortedError } from "../errors/aborted-error.ts";
import { TroupeError } from "../errors/troupe-error.ts";

/** What becomes of a run that finds its session busy. */
export type BusyPolicy = {
  /** `reject` refuses it at once. @default "enqueue" */
  onBusy: "enqueue" | "reject";
  /** How many may wait; one more is refused. @default 10 */
  maxWaiting: number;
  /** How long one waits before it is refused. @default 60000 */
  waitMs: number;
};

/** A place in the line for a session. */
export type PlaceInLine = {
  /** Whether it was this one's turn at once. */
  readonly isFirst: boolean;
  /** Resolves when it is this one's turn; rejects as `conflict` or, when the signal aborts, as `cancelled`. */
  readonly granted: Promise<void>;
  /** Ends the turn or the wait. May be called more than once. */
  readonly leave: () => void;
};

type JoinOptions = BusyPolicy & { signal?: AbortSignal | undefined };
/** Tells the one whose place it is that the turn has come. */
type Begin = () => void;

/**
 * Lets those who want the same session have it one after the other, in the order in which they came. The first of a line
 * has the turn; a line that is empty is forgotten.
 *
 * Nothing here knows who waits for whom: a run that starts another on its own session waits for itself, and is freed only
 * by the refusal of the inner run after `waitMs`.
 */
export class TurnQueue {
  readonly #lines = new Map<string, Begin[]>();

  /** How many sessions somebody has or waits for. */
  get busySessions(): number {
    return this.#lines.size;
  }

  /** Takes a place in the line for the key; when it returns, the place is taken. */
  join(key: string, options: JoinOptions): PlaceInLine {
    const line = this.#lines.get(key) ?? [];
    const refusal = options.signal?.aborted ? abortedError(options.signal.reason) : refuse(line.length, options);
    if (refusal !== null) return refused(refusal);
    this.#lines.set(key, line);
    return line.length === 0 ? this.#begin(key, line) : this.#wait(key, line, options);
  }

  #begin(key: string, line: Begin[]): PlaceInLine {
    const begin = () => {};
    line.push(begin);
    return { isFirst: true, granted: Promise.resolve(), leave: () => this.#leave(key, begin) };
  }

  #wait(key: string, line: Begin[], { waitMs, signal }: JoinOptions): PlaceInLine {
    let leave = () => {};
    const granted = new Promise<void>((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      };
      const begin = () => {
        stop();
        resolve();
      };
      const giveUp = (error: TroupeError) => {
        stop();
        reject(error);
        this.#leave(key, begin);
      };
      const onAbort = () => giveUp(abortedError(signal?.reason));
      const timer = setTimeout(() => giveUp(busyTooLong(waitMs)), waitMs);
      signal?.addEventListener("abort", onAbort, { once: true });
      leave = () => giveUp(new TroupeError("cancelled", "The place in the line was given up."));
      line.push(begin);
    });
    granted.catch(() => {});
    return { isFirst: false, granted, leave };
  }

  #leave(key: string, begin: Begin): void {
    const line = this.#lines.get(key);
    const index = line?.indexOf(begin) ?? -1;
    if (line === undefined || index === -1) return;
    line.splice(index, 1);
    if (line.length === 0) this.#lines.delete(key);
    else if (index === 0) line[0]?.();
  }
}

function refuse(inLine: number, { onBusy, maxWaiting }: BusyPolicy): TroupeError | null {
  if (inLine === 0) return null;
  if (onBusy === "reject") return new TroupeError("conflict", "The session is busy with another run.");
  if (inLine <= maxWaiting) return null;
  return new TroupeError(
    "conflict",
    `The session is busy and ${maxWaiting} runs wait for it already. Try again later.`,
  );
}

function busyTooLong(waitMs: number): TroupeError {
  return new TroupeError(
    "conflict",
    `The session stayed busy for ${waitMs} ms. A run that starts another on its own session waits for itself: give the ` +
      "inner one a session of its own.",
  );
}

function refused(refusal: TroupeError): PlaceInLine {
  const granted = Promise.reject<void>(refusal);
  granted.catch(() => {});
  return { isFirst: false, granted, leave: () => {} };
}
