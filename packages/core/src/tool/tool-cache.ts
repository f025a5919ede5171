import { copyPlain } from "./copy-plain.ts";
import type { Execution } from "./execution.ts";
import type { Outcome } from "./outcome.ts";

/** How many answers of one tool are kept. */
const maxEntries = 256;

type Entry = { readonly outcome: Outcome; readonly expiresAt: number };

/** The answers of one tool for as long as they count as fresh, and those executions that equal calls may share. */
export class ToolCache {
  readonly #ttl: number;
  /** Oldest first: all live equally long. */
  readonly #entries = new Map<string, Entry>();
  readonly #running = new Map<string, Execution>();

  constructor(ttl: number) {
    this.#ttl = ttl;
  }

  /** How many answers are kept. */
  get size(): number {
    return this.#entries.size;
  }

  /** A copy of the answer to an equal call, while it is fresh. */
  get(key: string): Outcome | undefined {
    this.#dropExpired();
    const entry = this.#entries.get(key);
    return entry === undefined ? undefined : copyPlain(entry.outcome);
  }

  /** Keeps the answer, which from now on nobody may change; a failure is not kept. */
  set(key: string, outcome: Outcome): void {
    if (outcome.error !== undefined) return;
    this.#dropExpired();
    this.#entries.delete(key);
    this.#entries.set(key, { outcome, expiresAt: performance.now() + this.#ttl });
    if (this.#entries.size > maxEntries) this.#dropOldest();
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

  #dropExpired(): void {
    const now = performance.now();
    for (const [key, { expiresAt }] of this.#entries) {
      if (expiresAt > now) break;
      this.#entries.delete(key);
    }
  }

  #dropOldest(): void {
    for (const key of this.#entries.keys()) {
      this.#entries.delete(key);
      break;
    }
  }
}
