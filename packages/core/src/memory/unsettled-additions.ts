import type { ChatMessage } from "../message/message.ts";
import { equalJson } from "../util/equal-json.ts";

/** What was to be added, under which id. */
export type Addition = { id: string; messages: readonly ChatMessage[] };

/** With a storage that fails for more sessions than these, the oldest are forgotten. */
const most = 1000;

/**
 * Additions being written, and those whose write failed: whether these are stored is not known. When the same messages are
 * added again, and the record says that it got them, they are not stored twice.
 */
export class UnsettledAdditions {
  readonly #byKey = new Map<string, Addition>();

  /** How many there are. */
  get size(): number {
    return this.#byKey.size;
  }

  /** Remembers what is about to be written. */
  note(key: string, addition: Addition): void {
    this.settle(key);
    this.#byKey.set(key, addition);
    const [oldest] = this.#byKey.keys();
    if (this.#byKey.size > most && oldest !== undefined) this.settle(oldest);
  }

  /** Whether these messages are a repetition of those that the record got last. */
  isStored(key: string, { messages }: Addition, { additionId }: { additionId: string }): boolean {
    const earlier = this.#byKey.get(key);
    return earlier?.id === additionId && equalJson(earlier.messages, messages);
  }

  /** Forgets it: how the write ended is known. */
  settle(key: string): void {
    this.#byKey.delete(key);
  }
}
