import { LruCache } from "../util/lru-cache.ts";
import { copyPlain } from "./copy-plain.ts";
import type { Execution } from "./execution.ts";
import type { Outcome } from "./outcome.ts";

/** The number of answers that are kept for one tool. */
const maxEntries = 256;

/** The answers of one tool for as long as they count as fresh, and those executions that equal calls may share. */
export class ToolCache {
  readonly #outcomes: LruCache<string, Outcome>;
  readonly #running = new Map<string, Execution>();

  constructor(ttlMs: number) {
    this.#outcomes = new LruCache({ maxEntries, ttlMs });
  }

  /** Number of answers that are kept. */
  get size(): number {
    return this.#outcomes.size;
  }

  /** A copy of the answer to an equal call, while it is fresh. */
  get(key: string): Outcome | undefined {
    this.#outcomes.prune();
    // Not a use: an answer is as old as the execution that gave it.
    const outcome = this.#outcomes.peek(key);
    return outcome === undefined ? undefined : copyPlain(outcome);
  }

  /** Keeps the answer, which from now on nobody may change; a failure is not kept. */
  set(key: string, outcome: Outcome): void {
    if (outcome.error === undefined) this.#outcomes.set(key, outcome);
  }

  /** The execution that is under way for equal calls, or a new one. */
  share(key: string, start: () => Execution): Execution {
    const running = this.#running.get(key);
    if (running !== undefined && !running.isOver) return running;
    const execution = start();
    this.#running.set(key, execution);
    void execution.outcome.then(() => this.#forget(key, execution));
    return execution;
  }

  #forget(key: string, execution: Execution): void {
    if (this.#running.get(key) === execution) this.#running.delete(key);
  }
}
