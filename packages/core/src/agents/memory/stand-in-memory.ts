import { untilAborted } from "../../base/async/until-aborted.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { isChatMessage } from "../../sessions/history/is-chat-message.ts";
import { repairHistory } from "../../sessions/history/repair-history.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import { sessionKey } from "../../sessions/session/session-keys.ts";
import { checkOwner } from "../../sessions/storage/session-owner.ts";
import { turnMessages } from "../../sessions/session/turn-record.ts";
import type { TurnConversation } from "../../sessions/session/turn-record.ts";
import { isArrayOf } from "../../sessions/storage/stored-record.ts";
import type { AgentMemory } from "./agent-memory.ts";
import type {
  AddTurnOptions,
  ClearOptions,
  MemoryScope,
  OwnedScope,
  RecalledMemory,
  RecallScope,
} from "./memory-options.ts";
import type { Memory } from "./memory.ts";

/** The calls that an agent makes to its memory. Each names the owner of the session. */
export type RecallingMemory = {
  addMessages(sessionId: string, messages: readonly ChatMessage[], options: OwnedScope<AddTurnOptions>): Promise<void>;
  recall(sessionId: string, scope: OwnedScope<RecallScope>): Promise<RecalledMemory>;
  clear(sessionId: string, options: OwnedScope<ClearOptions>): Promise<unknown>;
};

/**
 * Returns the memory itself if it is a `Memory`, otherwise an adapter for an object with the five methods of
 * `AgentMemory`.
 */
export function toRecallingMemory(memory: AgentMemory): RecallingMemory {
  const isWhole = memory.recall !== undefined && memory.bindStorage !== undefined;
  return isWhole ? (memory as Memory) : new StandInMemory(memory);
}

/** A session whose turns were deleted from a number on, and a function that loads the remaining turns. */
type RebuiltSession = {
  sessionId: string;
  owner: OwnedScope;
  load: () => Promise<readonly TurnConversation[]>;
};

/**
 * Deletes the memory of a session whose turns were deleted, including summaries. A `Memory` adds the remaining turns
 * with the next run. An object with only the five methods cannot detect that they are missing and receives them now.
 */
export async function rebuildMemory(memory: AgentMemory, { sessionId, owner, load }: RebuiltSession): Promise<void> {
  const recalling = toRecallingMemory(memory);
  await recalling.clear(sessionId, { ...owner, through: 0 });
  if (!(recalling instanceof StandInMemory)) return;
  for (const turn of await load()) await recalling.addMessages(sessionId, turnMessages(turn), owner);
}

/**
 * Adapter for a memory object with only the five methods, which supports neither owners nor turn numbers. It receives a
 * separate id for each owner, and each finished turn once.
 */
class StandInMemory implements RecallingMemory {
  readonly #memory: AgentMemory;

  constructor(memory: AgentMemory) {
    this.#memory = memory;
  }

  async addMessages(sessionId: string, messages: readonly ChatMessage[], options: OwnedScope<AddTurnOptions>) {
    const { id, scope } = ownedSession(sessionId, options);
    await untilAborted(async () => await this.#memory.addMessages(id, [...messages], scope), scope.signal);
  }

  async recall(sessionId: string, options: OwnedScope): Promise<RecalledMemory> {
    const { id, scope } = ownedSession(sessionId, options);
    const read = async () =>
      await Promise.all([this.#memory.getMessages(id, scope), this.#memory.getContextString(id, scope)]);
    const [messages, context] = await untilAborted(read, scope.signal);
    if (!isArrayOf(messages, isChatMessage)) throw wrongAnswer("getMessages", "an array of ChatMessage objects");
    if (typeof context !== "string") throw wrongAnswer("getContextString", "a string");
    // A memory object without `recall` cannot report its turns, so it is assumed to have all of them.
    return { messages: [...repairHistory(messages)], context, through: Number.MAX_SAFE_INTEGER };
  }

  async clear(sessionId: string, options: OwnedScope<ClearOptions>): Promise<void> {
    const { id, scope } = ownedSession(sessionId, options);
    await this.#memory.clear(id, scope);
  }
}

/**
 * Returns the arguments for a memory object's methods: an id that combines the session and its owner, and a scope that
 * only has owner and signal, because the other options are for a `Memory`.
 */
function ownedSession(sessionId: string, { tenantId, userId, verified, signal }: MemoryScope) {
  const owner = checkOwner({ tenantId, userId, verified });
  const isOwned = owner.tenantId !== undefined || owner.userId !== undefined;
  return { id: isOwned ? sessionKey(owner, sessionId) : sessionId, scope: { ...owner, signal } };
}

function wrongAnswer(method: string, expected: string): TroupeError {
  return new TroupeError("invalid_value", `The memory's ${method} must return ${expected}, or a promise of it.`);
}
