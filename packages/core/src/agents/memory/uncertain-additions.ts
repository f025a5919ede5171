import type { ChatMessage } from "../../base/message/message.ts";
import { equalJson } from "../../base/util/equal-json.ts";
import { LruCache } from "../../base/util/lru-cache.ts";

/** Messages that a call adds to a session's memory, and the id of the call's addition. */
export type MessageAddition = { id: string; messages: readonly ChatMessage[] };

/** The number of sessions whose additions are remembered while a storage fails. */
const maxEntries = 1000;

/**
 * Additions that are being written, or whose write failed: it is not known whether they are stored. When the same messages
 * are added again and the record has them, they are not stored twice.
 */
export class UncertainAdditions {
  readonly #byKey = new LruCache<string, MessageAddition>({ maxEntries });

  get size(): number {
    return this.#byKey.size;
  }

  /** Notes an addition that is about to be written. */
  note(key: string, addition: MessageAddition): void {
    this.#byKey.set(key, addition);
  }

  /** True when these messages repeat the last addition that the record has. */
  isStored(key: string, { messages }: MessageAddition, { additionId }: { additionId: string }): boolean {
    const earlier = this.#byKey.peek(key);
    return earlier?.id === additionId && equalJson(earlier.messages, messages);
  }

  /** Forgets the addition: the outcome of its write is known. */
  settle(key: string): void {
    this.#byKey.delete(key);
  }
}
