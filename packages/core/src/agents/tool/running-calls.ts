import type { TroupeError } from "../../base/errors/troupe-error.ts";

type Leave = (reason: TroupeError) => void;

/**
 * The tool calls of one model answer (a batch) in progress. When the batch ends for any reason, unfinished calls are
 * abandoned immediately and their results are ignored.
 */
export class RunningCalls {
  readonly #leaving = new Set<Leave>();
  #reason: (() => TroupeError) | undefined;

  /** True once the batch of tool calls has ended, so that results are ignored. */
  get isOver(): boolean {
    return this.#reason !== undefined;
  }

  /** Waits for the work of a tool call. Calls `leave` if the batch has ended, or ends before the work is done. */
  async during<Result>(work: Promise<Result>, leave: Leave): Promise<Result> {
    // The work of the call may itself have ended the batch.
    if (this.#reason !== undefined) leave(this.#reason());
    this.#leaving.add(leave);
    try {
      return await work;
    } finally {
      this.#leaving.delete(leave);
    }
  }

  /**
   * Ends the batch of tool calls. Only the first reason counts. A reason is created only if a call is abandoned,
   * because errors are expensive.
   */
  end(reason: () => TroupeError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    for (const leave of this.#leaving) leave(reason());
  }
}

/**
 * The slots for tool calls of one model answer that execute at the same time. Calls receive slots in the order in which
 * they ask. A call that waits for a person gives up its slot during the wait.
 */
export class CallSlots {
  #free: number;
  readonly #waiting: (() => void)[] = [];
  readonly #isOver: () => boolean;

  /** @param isOver returns true if the batch has ended, so that no call waits for a slot any more */
  constructor(count: number, isOver: () => boolean) {
    this.#free = count;
    this.#isOver = isOver;
  }

  /** Takes a slot for a tool call. Returns undefined if a slot is free, otherwise a promise for the next free slot. */
  take(): Promise<void> | undefined {
    if (this.#free === 0) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#free--;
    return undefined;
  }

  /** Gives up a slot: the next waiting tool call receives the slot; without one, the slot is free. */
  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }

  /** Gives up a call's slot while the call waits, and takes a slot again afterwards, unless the batch has ended. */
  async leaveFor<Result>(wait: () => Promise<Result>): Promise<Result> {
    this.give();
    try {
      return await wait();
    } finally {
      if (!this.#isOver()) await this.take();
    }
  }
}
