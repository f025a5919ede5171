import type { ChatMessage } from "../../base/message/message.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { AddMessagesOptions, ClearOptions, MemoryScope, RecalledMemory, RecallScope } from "./memory-options.ts";

/** A value, or a promise of it. */
type MaybePromise<Value> = Value | Promise<Value>;

/**
 * The memory of an agent: a `Memory`, or any object with the five methods `addMessages`, `getMessages`, `getSummaries`,
 * `getContextString` and `clear`.
 *
 * An object without `recall` and `bindStorage` stores the messages of each session under the id that it receives. This
 * id is the session's id. For a session of a user or tenant, this id is `<tenant>/<user>/<sessionId>` (`-` for a
 * missing part), because two users' sessions may have the same id. It stores messages only: calls of a vendor's own
 * tools are not sent back to the vendor.
 */
export interface AgentMemory {
  /** Appends the messages of a turn to a session's memory. */
  addMessages(sessionId: string, messages: ChatMessage[], options?: AddMessagesOptions): MaybePromise<void>;
  /** Returns the messages that the next model call gets as its history. */
  getMessages(sessionId: string, scope?: MemoryScope): MaybePromise<ChatMessage[]>;
  /** Returns the summaries of a session's older messages, oldest first. */
  getSummaries(sessionId: string, scope?: MemoryScope): MaybePromise<string[]>;
  /** Returns text for the system prompt; an empty string if there is nothing to add. */
  getContextString(sessionId: string, scope?: MemoryScope): MaybePromise<string>;
  /** Deletes the memory of a session. Called when the session is deleted. */
  clear(sessionId: string, options?: ClearOptions): unknown;
  /** Returns messages and context in one read, with the number of the last turn that they include. */
  recall?(sessionId: string, scope?: RecallScope): Promise<RecalledMemory>;
  /** Receives the storage of an agent, which a memory without a storage of its own uses. */
  bindStorage?(driver: StorageDriver): void;
}
