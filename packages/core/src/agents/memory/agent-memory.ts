import type { ChatMessage } from "../../base/message/message.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { AddMessagesOptions, ClearOptions, MemoryScope, RecalledMemory, RecallScope } from "./memory-options.ts";

/** A value, or a promise of it. */
type MaybePromise<Value> = Value | Promise<Value>;

/**
 * The memory of an agent: a `Memory`, or any object with the five methods `addMessages`, `getMessages`, `getSummaries`,
 * `getContextString` and `clear`.
 *
 * An object without `recall` and `bindStorage` keeps the messages of each session under the id that it is given. That is
 * the session's id; for a session of a user or tenant it is `<tenant>/<user>/<sessionId>` (`-` for none), because the same
 * id of two users is two sessions. It keeps messages alone: calls of a vendor's own tools do not go back to the vendor.
 */
export interface AgentMemory {
  /** Adds the messages of a turn after all others. */
  addMessages(sessionId: string, messages: ChatMessage[], options?: AddMessagesOptions): MaybePromise<void>;
  /** Returns the messages that the next model call gets as its history. */
  getMessages(sessionId: string, scope?: MemoryScope): MaybePromise<ChatMessage[]>;
  /** Returns the summaries of older messages, oldest first. */
  getSummaries(sessionId: string, scope?: MemoryScope): MaybePromise<string[]>;
  /** Returns text for the system prompt; empty when there is none. */
  getContextString(sessionId: string, scope?: MemoryScope): MaybePromise<string>;
  /** Forgets a session. Called when the session is deleted. */
  clear(sessionId: string, options?: ClearOptions): unknown;
  /** Returns messages and context in one read, with the number of the last turn that is part of them. */
  recall?(sessionId: string, scope?: RecallScope): Promise<RecalledMemory>;
  /** Tells the storage of an agent, which a memory without one of its own uses. */
  bindStorage?(driver: StorageDriver): void;
}
