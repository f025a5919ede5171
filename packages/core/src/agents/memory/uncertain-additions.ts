import type { ChatMessage } from "../../base/message/message.ts";
import { equalJson } from "../../base/util/equal-json.ts";
import { LruCache } from "../../base/util/lru-cache.ts";

/** Messages that a call adds to a session's memory, and the id of that addition. */
export type MessageAddition = { id: string; messages: readonly ChatMessage[] };

/** The maximum number of sessions whose additions are remembered while a storage fails. */
const maxEntries = 1000;

/**
 * Additions in progress, and additions whose write failed, so that it is unknown whether they are stored. If the same
 * messages are added again and the record has them, they are not stored twice.
 */
export class UncertainAdditions {
  readonly #byKey = new LruCache<string, MessageAddition>({ maxEntries });

  get size(): number {
    return this.#byKey.size;
  }

  /** Notes an addition of messages that is about to be written to the memory with this key. */
  note(key: string, addition: MessageAddition): void {
    this.#byKey.set(key, addition);
  }

  /** Returns true if these messages repeat the last addition in the memory's record. */
  isStored(key: string, { messages }: MessageAddition, { additionId }: { additionId: string }): boolean {
    const earlier = this.#byKey.peek(key);
    return earlier?.id === additionId && equalJson(earlier.messages, messages);
  }

  /** Forgets the noted addition to the memory with this key, because the outcome of its write is now known. */
  settle(key: string): void {
    this.#byKey.delete(key);
  }
}
