import { withTimeout } from "./with-timeout.ts";

/** Work that no caller awaits. Its owner waits for it when closing. */
export class BackgroundWork {
  /** The work in progress, each with the function that cancels it. These promises never reject. */
  readonly #pending = new Map<Promise<void>, () => void>();

  /** Adds work whose failure the caller handles. `cancel` ends the work early. */
  add(work: Promise<unknown>, cancel: () => void = () => undefined): void {
    const end = () => void this.#pending.delete(settled);
    const settled: Promise<void> = work.then(end, end);
    this.#pending.set(settled, cancel);
  }

  /**
   * Waits until all work is done. Work that remains after `waitMs` milliseconds is cancelled, and awaited for at most
   * the same time again. Never rejects.
   */
  async flush(waitMs?: number): Promise<void> {
    if (waitMs === undefined || (await this.#isDoneWithin(waitMs))) return await this.#waitForAll();
    for (const cancel of this.#pending.values()) cancel();
    await this.#isDoneWithin(waitMs);
  }

  async #waitForAll(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending.keys());
  }

  async #isDoneWithin(timeoutMs: number): Promise<boolean> {
    const done = this.#waitForAll().then(() => true);
    return this.#pending.size === 0 || (await withTimeout(done, { timeoutMs, onTimeout: () => false }));
  }
}
