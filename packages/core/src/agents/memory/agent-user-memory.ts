import type { ChatMessage } from "../../base/message/message.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import { ownerKey } from "../../sessions/storage/owner-key.ts";
import { toUserOwner } from "../../sessions/storage/session-owner.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { UserMemoryScope } from "./memory-options.ts";
import type { ExtractOptions } from "./user-memory.ts";

/**
 * The user memory of an agent: a `UserMemory`, or any object with the methods that an agent calls.
 *
 * An object without `bindStorage` stores the facts of each user under the id that it receives. This id is the user's
 * id. With a tenant, this id is `<tenant>/<user>`, and for an unverified user `<tenant>/~<user>` (`-` for no tenant),
 * because these are different users.
 */
export interface AgentUserMemory {
  /** Returns the facts about the user as text for the system prompt; an empty string if there are no facts. */
  getContextString(userId: string, scope?: UserMemoryScope): string | Promise<string>;
  /** Finds facts in the messages of a finished run and stores them. */
  extractAndStore(userId: string, messages: ChatMessage[], model?: ModelProvider, options?: ExtractOptions): unknown;
  /** Removes all facts about the user. Called when the user is deleted. */
  clear(userId: string, scope?: UserMemoryScope): void | Promise<void>;
  /** False if agents should not extract facts from conversations. @default true */
  readonly enabled?: boolean | undefined;
  /** Receives the storage of an agent, which a memory without a storage of its own uses. */
  bindStorage?(driver: StorageDriver): void;
  /** Registers work in the background, so that the memory can wait for it. */
  track?(work: Promise<unknown>): void;
}

/**
 * Returns the id of a user for a user memory. It is the plain id, unless the memory does not support tenants and
 * unverified users.
 */
export function factOwnerId(memory: AgentUserMemory, userId: string, scope: UserMemoryScope): string {
  const owner = toUserOwner(userId, scope);
  const isPlain = owner.tenantId === undefined && owner.verified !== false;
  return isPlain || memory.bindStorage !== undefined ? userId : ownerKey(owner);
}
