import type { ChatMessage } from "../../base/message/message.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import { ownerKey } from "../../sessions/storage/owner-key.ts";
import { checkUser } from "../../sessions/storage/session-owner.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { UserMemoryScope } from "./memory-options.ts";
import type { ExtractOptions } from "./user-memory.ts";

/**
 * The user memory of an agent: a `UserMemory`, or any object with the methods that an agent calls.
 *
 * An object without `bindStorage` keeps the facts of each user under the id that it is given. That is the user's id; with
 * a tenant it is `<tenant>/<user>`, and for an unverified user `<tenant>/~<user>` (`-` for no tenant), because these are
 * other users.
 */
export interface AgentUserMemory {
  /** Returns the facts about the user as text for the system prompt; empty when there are none. */
  getContextString(userId: string, scope?: UserMemoryScope): string | Promise<string>;
  /** Finds facts in the messages of a finished run, and stores them. */
  extractAndStore(userId: string, messages: ChatMessage[], model?: ModelProvider, options?: ExtractOptions): unknown;
  /** Removes all facts about the user. Called when the user is deleted. */
  clear(userId: string, scope?: UserMemoryScope): void | Promise<void>;
  /** False when agents are not to look for facts in conversations. @default true */
  readonly enabled?: boolean | undefined;
  /** Tells the storage of an agent, which a memory without one of its own uses. */
  bindStorage?(driver: StorageDriver): void;
  /** Notes work in the background, for the memory to wait for. */
  track?(work: Promise<unknown>): void;
}

/** Returns the id of a user for a user memory: the id itself, unless the memory knows no tenants and unverified users. */
export function factOwnerId(memory: AgentUserMemory, userId: string, scope: UserMemoryScope): string {
  const owner = checkUser(userId, scope);
  const isPlain = owner.tenantId === undefined && owner.verified !== false;
  return isPlain || memory.bindStorage !== undefined ? userId : ownerKey(owner);
}
