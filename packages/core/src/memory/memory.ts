import { untilAborted } from "../async/until-aborted.ts";
import { optional } from "../errors/option-checks.ts";
import { readOptions } from "../errors/read-options.ts";
import type { ChatMessage } from "../message/message.ts";
import type { ModelProvider } from "../model/model-provider.ts";
import { checkStoredSessionId } from "../session/session-id.ts";
import { namespaces, sessionKey } from "../session/session-keys.ts";
import { checkOwner } from "../session/session-owner.ts";
import { BoundedStorage } from "../storage/bounded-storage.ts";
import type { Json } from "../storage/json.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { createId } from "../util/create-id.ts";
import { dataBlock } from "./data-block.ts";
import { memoryOptions, turnNumber } from "./memory-options.ts";
import type { AddMessagesOptions, ClearOptions, MemoryOptions, MemoryScope, RecalledMemory } from "./memory-options.ts";
import { emptyMemory, readMemoryRecord, toStoredMemory } from "./memory-record.ts";
import type { MemoryRecord } from "./memory-record.ts";
import { MemoryStorages } from "./memory-storages.ts";
import type { KnownStorages } from "./memory-storages.ts";
import { changeRecord } from "./record-lock.ts";
import type { LockedRecord } from "./record-lock.ts";
import { addToLongTerm, readSummaries } from "./summaries.ts";
import { toConversation } from "./transcript.ts";
import { UncertainAdditions } from "./uncertain-additions.ts";
import { trimWindow, viewWindow } from "./window.ts";

/** The window is one record, written with each turn: it fits into the 16 MB of a MongoDB document in any script. */
const maxCharacters = 4_000_000;

const where = { path: "Memory" };
const invalidValue = { code: "invalid_value" } as const;
const optionalTurn = optional(turnNumber);

/**
 * Memory of conversations, kept for each session: the newest messages unchanged, and with `enableLongTerm` summaries of
 * the older ones.
 */
export class Memory {
  readonly #storages: MemoryStorages;
  readonly #maxMessages: number;
  readonly #isLongTerm: boolean;
  readonly #model: ModelProvider | undefined;
  readonly #uncertain = new WeakMap<StorageDriver, UncertainAdditions>();

  constructor(options: MemoryOptions = {}) {
    const { storage, maxShortTermMessages, enableLongTerm, model } = readOptions(memoryOptions, options, where);
    this.#storages = new MemoryStorages(storage, () => new BoundedStorage());
    this.#maxMessages = maxShortTermMessages;
    this.#isLongTerm = enableLongTerm;
    this.#model = model;
  }

  /**
   * Adds an agent's storage, when the memory has none of its own. The memory of a session is then beside its turns, in the
   * storage of the agent whose session it is.
   */
  bindStorage(driver: StorageDriver): void {
    this.#storages.bind(driver);
  }

  /**
   * Adds messages after all others, without instructions, which are not part of a conversation. When it rejects, the
   * messages are stored whole or not at all, and adding the same again stores them once.
   */
  async addMessages(
    sessionId: string,
    messages: readonly ChatMessage[],
    options: AddMessagesOptions = {},
  ): Promise<void> {
    const addition = { id: createId(), messages: toConversation(messages) };
    optionalTurn(options.through, "through", invalidValue);
    optionalTurn(options.after, "after", invalidValue);
    const target = await this.#recordOf(sessionId, options);
    if (addition.messages.length === 0 && options.through === undefined) return;
    const uncertain = this.#uncertainIn(target);
    await changeRecord(target, async (stored) => {
      const record = readMemoryRecord(stored, target.place);
      if (hasTurn(record, options) || uncertain.isStored(target.place.key, addition, record)) return undefined;
      const next = await this.#withMessages(record, addition.messages, options);
      uncertain.note(target.place.key, addition);
      return toStoredMemory({ ...next, additionId: addition.id, through: options.through ?? record.through });
    });
    uncertain.settle(target.place.key);
  }

  /** Returns the newest messages, at most `maxShortTermMessages`, from one of the user on. Every tool call has its result. */
  async getMessages(sessionId: string, scope: MemoryScope = {}): Promise<ChatMessage[]> {
    return (await this.recall(sessionId, scope)).messages;
  }

  /** Returns the summaries of older messages, oldest first. */
  async getSummaries(sessionId: string, scope: MemoryScope = {}): Promise<string[]> {
    return readSummaries(await this.#read(sessionId, scope));
  }

  /** Returns the summaries as data for a prompt; empty when there are none. */
  async getContextString(sessionId: string, scope: MemoryScope = {}): Promise<string> {
    return (await this.recall(sessionId, scope)).context;
  }

  /** Returns the whole memory of a session, in one read. */
  async recall(sessionId: string, scope: MemoryScope = {}): Promise<RecalledMemory> {
    const record = await this.#read(sessionId, scope);
    return {
      messages: viewWindow(record, this.#maxMessages),
      context: contextOf(record),
      through: record.through,
      ...(record.vendorStateTurns !== undefined && { vendorStateTurns: record.vendorStateTurns }),
    };
  }

  /** Forgets a session. */
  async clear(sessionId: string, options: ClearOptions = {}): Promise<void> {
    optionalTurn(options.through, "through", invalidValue);
    const first = await this.#recordOf(sessionId, options);
    const others = this.#recordsOf(sessionId, options).filter(({ driver }) => driver !== first.driver);
    for (const target of [first, ...others]) {
      await changeRecord(target, async (stored) => {
        if (stored === null && target !== first) return undefined;
        const through = options.through ?? throughOf(stored, target);
        return through === 0 ? null : toStoredMemory({ ...emptyMemory, through });
      });
      this.#uncertainIn(target).settle(target.place.key);
    }
  }

  async #read(sessionId: string, scope: MemoryScope): Promise<MemoryRecord> {
    const { driver, place, signal } = await this.#recordOf(sessionId, scope);
    return readMemoryRecord(await untilAborted(() => driver.get(place.namespace, place.key), signal), place);
  }

  async #withMessages(
    record: MemoryRecord,
    messages: readonly ChatMessage[],
    options: AddMessagesOptions,
  ): Promise<MemoryRecord> {
    const all = { messages: [...record.messages, ...messages], hasLostSteps: record.hasLostSteps };
    const { window, overflow } = trimWindow(all, { messages: this.#maxMessages, characters: maxCharacters });
    const next = {
      ...withVendorStateTurn(record, { added: messages, window: window.messages }, options),
      messages: [...window.messages],
      hasLostSteps: window.hasLostSteps,
    };
    if (!this.#isLongTerm || overflow.length === 0) return next;
    const model = this.#model ?? options.model;
    return {
      ...next,
      ...(await addToLongTerm(record, overflow, { ...options, model, maxMessages: this.#maxMessages })),
    };
  }

  /** Returns the record of a session: for an agent in its own storage, else in the first that has one. */
  async #recordOf(sessionId: string, scope: MemoryScope): Promise<LockedRecord> {
    const [first, ...others] = this.#recordsOf(sessionId, scope);
    if (others.length === 0) return first;
    for (const record of [first, ...others]) {
      const { driver, place, signal } = record;
      const stored = await untilAborted(() => driver.get(place.namespace, place.key), signal);
      if (stored !== null) return record;
    }
    return first;
  }

  /** Returns the places where the record of a session may be. */
  #recordsOf(sessionId: string, { signal, storage, ...owner }: MemoryScope): [LockedRecord, ...LockedRecord[]] {
    const place = { namespace: namespaces.memory, key: sessionKey(checkOwner(owner), checkStoredSessionId(sessionId)) };
    const all: KnownStorages = storage === undefined ? this.#storages.all : [this.#storages.forAgent(storage)];
    const [first, ...others] = all;
    return [{ driver: first, place, signal }, ...others.map((driver) => ({ driver, place, signal }))];
  }

  #uncertainIn({ driver }: LockedRecord): UncertainAdditions {
    const known = this.#uncertain.get(driver) ?? new UncertainAdditions();
    this.#uncertain.set(driver, known);
    return known;
  }
}

/** Notes a turn with state of vendors, and how far those before have moved, and forgets those that left the window. */
function withVendorStateTurn(
  { vendorStateTurns: known, ...record }: MemoryRecord,
  { added, window }: { added: readonly ChatMessage[]; window: readonly ChatMessage[] },
  { hasVendorState = false, through }: AddMessagesOptions,
): MemoryRecord {
  const isNew = hasVendorState && through !== undefined;
  if (known === undefined && !isNew) return record;
  const [moved, kept] = [countInputs(added), countInputs(window)];
  const turns = (known ?? []).map(({ seq, fromEnd }) => ({ seq, fromEnd: fromEnd + moved }));
  if (isNew) turns.push({ seq: through, fromEnd: 1 });
  return { ...record, vendorStateTurns: turns.filter(({ fromEnd }) => fromEnd <= kept) };
}

function countInputs(messages: readonly ChatMessage[]): number {
  return messages.filter(({ role }) => role === "user").length;
}

function hasTurn({ through }: MemoryRecord, options: AddMessagesOptions): boolean {
  if (options.through === undefined) return false;
  return options.after === undefined ? options.through <= through : options.after !== through;
}

function contextOf(record: MemoryRecord): string {
  const about = "What was said earlier in this conversation, oldest first.";
  return dataBlock({ tag: "conversation_summary", about, lines: readSummaries(record) });
}

// A damaged record can be forgotten too. Its turns are then unknown.
function throughOf(stored: Json | null, { place }: LockedRecord): number {
  try {
    return readMemoryRecord(stored, place).through;
  } catch {
    return 0;
  }
}
