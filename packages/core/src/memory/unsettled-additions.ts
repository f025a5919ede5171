import type { ChatMessage } from "../message/message.ts";
import { equalJson } from "../util/equal-json.ts";
import { LruCache } from "../util/lru-cache.ts";

/** What was to be added, under which id. */
export type Addition = { id: string; messages: readonly ChatMessage[] };

/** The number of sessions whose additions are remembered while a storage fails. */
const maxEntries = 1000;

/**
 * Additions being written, and those whose write failed: whether these are stored is not known. When the same messages are
 * added again, and the record says that it got them, they are not stored twice.
 */
export class UnsettledAdditions {
  readonly #byKey = new LruCache<string, Addition>({ maxEntries });

  /** How many there are. */
  get size(): number {
    return this.#byKey.size;
  }

  /** Remembers what is about to be written. */
  note(key: string, addition: Addition): void {
    this.#byKey.set(key, addition);
  }

  /** Whether these messages are a repetition of those that the record got last. */
  isStored(key: string, { messages }: Addition, { additionId }: { additionId: string }): boolean {
    const earlier = this.#byKey.peek(key);
    return earlier?.id === additionId && equalJson(earlier.messages, messages);
  }

  /** Forgets it: how the write ended is known. */
  settle(key: string): void {
    this.#byKey.delete(key);
  }
}
