import type { TroupeError } from "../../base/errors/troupe-error.ts";

type Leave = (reason: TroupeError) => void;

/**
 * The tool calls of a batch that are under way. When the batch ends, for whatever reason, calls that have not finished
 * are given up at once, and their results are ignored.
 */
export class RunningCalls {
  readonly #leaving = new Set<Leave>();
  #reason: (() => TroupeError) | undefined;

  /** True once the batch has ended, so that results are ignored. */
  get isOver(): boolean {
    return this.#reason !== undefined;
  }

  /** Waits for the work, and calls `leave` when the batch ends before the work is done. */
  async during<Result>(work: Promise<Result>, leave: Leave): Promise<Result> {
    // The work may itself have ended the batch.
    if (this.#reason !== undefined) leave(this.#reason());
    this.#leaving.add(leave);
    try {
      return await work;
    } finally {
      this.#leaving.delete(leave);
    }
  }

  /** Ends the batch. The first reason counts; it is made only where a call is left, since errors are expensive. */
  end(reason: () => TroupeError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    for (const leave of this.#leaving) leave(reason());
  }
}

/**
 * The slots for the calls of a batch that may be at work at the same time. Calls get them in the order in which they ask,
 * and a call that waits for a person leaves its slot to others.
 */
export class CallSlots {
  #free: number;
  readonly #waiting: (() => void)[] = [];
  readonly #isOver: () => boolean;

  /** @param isOver tells if the batch has ended, so that no call waits for a slot any more */
  constructor(count: number, isOver: () => boolean) {
    this.#free = count;
    this.#isOver = isOver;
  }

  /** Takes a slot. Returns undefined where one is free, else a promise that resolves when this call has one. */
  take(): Promise<void> | undefined {
    if (this.#free === 0) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#free--;
    return undefined;
  }

  /** Gives a slot to the next call that waits for one. */
  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }

  /** Leaves the slot of a call for as long as it waits, and takes one again, unless the run stops meanwhile. */
  async leaveFor<Result>(wait: () => Promise<Result>): Promise<Result> {
    this.give();
    try {
      return await wait();
    } finally {
      if (!this.#isOver()) await this.take();
    }
  }
}
