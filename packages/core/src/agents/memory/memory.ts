import { optional } from "../../base/errors/option-checks.ts";
import { readOptions } from "../../base/errors/read-options.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import { BoundedStorage } from "../../sessions/storage/bounded-storage.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { createId } from "../../base/util/create-id.ts";
import { dataBlock } from "./data-block.ts";
import { memoryOptions, turnNumber } from "./memory-options.ts";
import type {
  AddMessagesOptions,
  AddTurnOptions,
  ClearOptions,
  MemoryOptions,
  MemoryScope,
  RecalledMemory,
  RecallScope,
} from "./memory-options.ts";
import { confirmEntry, removeEntry, writeEntry } from "./memory-index.ts";
import { emptyMemory, isForgotten, readMemoryRecord, toStoredMemory } from "./memory-record.ts";
import type { MemoryRecord } from "./memory-record.ts";
import { MemoryRecords, namesOwner, readStored } from "./memory-records.ts";
import { MemoryStorages } from "./memory-storages.ts";
import { changeRecord } from "./record-lock.ts";
import type { LockedRecord } from "./record-lock.ts";
import { addToLongTerm, readSummaries } from "./summaries.ts";
import { toConversation } from "./transcript.ts";
import { isSeedKey, removeTakenSeed, takeSeed } from "./seeds.ts";
import { UncertainAdditions } from "./uncertain-additions.ts";
import type { MessageAddition } from "./uncertain-additions.ts";
import { withVendorStateTurn } from "./vendor-state-turns.ts";
import { trimWindow, viewWindow } from "./window.ts";

/**
 * The maximum number of characters in a memory's window. The window is part of one record, which is written with each
 * turn. In any script, this number of characters fits into the 16 MB of a MongoDB document.
 */
const maxCharacters = 4_000_000;

const where = { path: "Memory" };
const invalidValue = { code: "invalid_value" } as const;
const optionalTurn = optional(turnNumber);

/**
 * Memory of conversations, stored for each session: the newest messages unchanged, and with `enableLongTerm` summaries
 * of older messages.
 */
export class Memory {
  readonly #storages: MemoryStorages;
  readonly #records: MemoryRecords;
  readonly #maxMessages: number;
  readonly #isLongTerm: boolean;
  readonly #model: ModelProvider | undefined;
  readonly #uncertain = new WeakMap<StorageDriver, UncertainAdditions>();

  constructor(options: MemoryOptions = {}) {
    const { storage, maxShortTermMessages, enableLongTerm, model } = readOptions(memoryOptions, options, where);
    this.#storages = new MemoryStorages(storage, () => new BoundedStorage());
    this.#records = new MemoryRecords(this.#storages);
    this.#maxMessages = maxShortTermMessages;
    this.#isLongTerm = enableLongTerm;
    this.#model = model;
  }

  /**
   * Adds an agent's storage, if the memory has no storage of its own. The memory of a session is then stored beside its
   * turns, in the storage of the session's agent.
   */
  bindStorage(driver: StorageDriver): void {
    this.#storages.bind(driver);
  }

  /**
   * Appends messages, without system messages, which are not part of a conversation. If it rejects, the messages are
   * stored whole or not at all; adding the same messages again stores them once.
   *
   * With only a session id they go to the session of that id, whatever its owner. If no such session exists yet, they
   * wait for the first run of this program in that session. A run for a client of a transport does not get them.
   */
  async addMessages(
    sessionId: string,
    messages: readonly ChatMessage[],
    given: AddMessagesOptions = {},
  ): Promise<void> {
    // An agent also passes options that are not part of the public type.
    const options: AddTurnOptions = given;
    const addition = { id: createId(), messages: toConversation(messages) };
    optionalTurn(options.through, "through", invalidValue);
    optionalTurn(options.after, "after", invalidValue);
    const isEmpty = addition.messages.length === 0 && options.through === undefined;
    if (!namesOwner(options)) return await this.#addById(sessionId, { ...addition, isEmpty }, options);
    const target = await this.#records.ofOwner(sessionId, options);
    if (!isEmpty) await this.#add(target, addition, options);
  }

  /**
   * Returns the newest messages, at most `maxShortTermMessages`, beginning with a user message. Every tool call has its
   * result. In all methods, a session id without an owner means the session of that id, whatever its owner; throws
   * `conflict` if there are several.
   */
  async getMessages(sessionId: string, scope: MemoryScope = {}): Promise<ChatMessage[]> {
    return (await this.recall(sessionId, scope)).messages;
  }

  /** Returns the summaries of a session's older messages, oldest first. */
  async getSummaries(sessionId: string, scope: MemoryScope = {}): Promise<string[]> {
    return readSummaries(await this.#read(sessionId, scope));
  }

  /** Returns the summaries of a session's older messages as data for a prompt; an empty string if there are none. */
  async getContextString(sessionId: string, scope: MemoryScope = {}): Promise<string> {
    return (await this.recall(sessionId, scope)).context;
  }

  /** Returns the whole memory of a session, in one read if the owner is given. */
  async recall(sessionId: string, scope: RecallScope = {}): Promise<RecalledMemory> {
    const record = await this.#read(sessionId, scope);
    return {
      messages: viewWindow(record, this.#maxMessages),
      context: contextOf(record),
      through: record.through,
      ...(record.vendorStateTurns !== undefined && { vendorStateTurns: record.vendorStateTurns }),
    };
  }

  /**
   * Deletes the memory of a session. With only a session id it deletes the memory of every session of that id, whatever
   * the owners. Returns the number of sessions that had a memory.
   */
  async clear(sessionId: string, options: ClearOptions = {}): Promise<number> {
    optionalTurn(options.through, "through", invalidValue);
    if (!namesOwner(options)) return await this.#clearById(sessionId, options);
    const first = await this.#records.ofOwner(sessionId, options);
    let isCleared = await this.#clear(first, options);
    for (const other of this.#records.placesOf(sessionId, options)) {
      if (other.driver === first.driver || (await readStored(other)) === null) continue;
      isCleared = (await this.#clear(other, options)) || isCleared;
    }
    return isCleared ? 1 : 0;
  }

  async #addById(
    sessionId: string,
    addition: MessageAddition & { isEmpty: boolean },
    options: AddTurnOptions,
  ): Promise<void> {
    await this.#records.lockId(sessionId, options.signal, async (newSeed) => {
      const { owned, seed } = await this.#records.withId(sessionId, options.signal);
      if (addition.isEmpty) return;
      const target = owned ?? seed ?? newSeed;
      const taker = await this.#add(target, addition, options);
      if (taker !== undefined) {
        await takeSeed(target, taker);
        await this.#add(taker, addition, options);
      } else if (target === newSeed) {
        // A session of that id may have begun after its memory was looked up.
        const { owned: begun, isShared } = await this.#records.find(sessionId, options.signal);
        if (begun !== undefined && !isShared) await takeSeed(newSeed, begun);
      }
    });
  }

  /**
   * Adds messages to a session's memory, or to the messages added before the session began. If a session has taken
   * these over, adds nothing and returns that session's memory.
   */
  async #add(
    target: LockedRecord,
    addition: MessageAddition,
    options: AddTurnOptions,
  ): Promise<LockedRecord | undefined> {
    const uncertain = this.#uncertainIn(target);
    const isSeed = isSeedKey(target.place);
    let [taker, isNew]: [string?, boolean?] = [];
    await changeRecord(target, async (stored) => {
      const { hasSeed, ...record } = readMemoryRecord(stored, target.place);
      taker = record.takenBy;
      const isThere = hasTurn(record, options) || uncertain.isStored(target.place.key, addition, record);
      if (taker !== undefined || isThere) return undefined;
      const added = await this.#withMessages(record, addition.messages, options);
      const next = { ...added, additionId: addition.id, through: options.through ?? record.through };
      isNew = stored === null && !isSeed;
      if (!isSeed && record.indexed !== true) await writeEntry(target);
      if (hasSeed === true) await removeTakenSeed(this.#records.storages, target);
      uncertain.note(target.place.key, addition);
      return toStoredMemory(isSeed ? next : { ...next, indexed: true });
    });
    if (isNew === true) await confirmEntry(target);
    uncertain.settle(target.place.key);
    return taker === undefined ? undefined : this.#records.atKey(taker, target);
  }

  async #clearById(sessionId: string, options: ClearOptions): Promise<number> {
    const cleared = new Set<string>();
    await this.#records.lockId(sessionId, options.signal, async () => {
      for await (const found of this.#records.allWithId(sessionId, options.signal)) {
        const { takenBy = found.place.key } = readableOrEmpty(found.stored, found);
        if (await this.#clear(found, options)) cleared.add(takenBy);
      }
    });
    return cleared.size;
  }

  /** Deletes a memory, or the messages added before a session began. Returns true if there were any. */
  async #clear(target: LockedRecord, options: ClearOptions): Promise<boolean> {
    const isSeed = isSeedKey(target.place);
    let [isCleared, isGone] = [false, true];
    await changeRecord(target, async (stored) => {
      isCleared = !isForgotten(stored, target.place);
      const { hasSeed, ...record } = readableOrEmpty(stored, target);
      if (hasSeed === true) await removeTakenSeed(this.#records.storages, target);
      const through = isSeed ? 0 : (options.through ?? record.through);
      isGone = through === 0;
      const indexed = record.indexed === true ? { indexed: record.indexed } : {};
      return isGone ? null : toStoredMemory({ ...emptyMemory, through, ...indexed });
    });
    this.#uncertainIn(target).settle(target.place.key);
    if (isGone && !isSeed) await removeEntry(target);
    return isCleared;
  }

  async #read(sessionId: string, scope: RecallScope): Promise<MemoryRecord> {
    if (!namesOwner(scope)) {
      const { owned, seed } = await this.#records.withId(sessionId, scope.signal);
      const found = owned ?? seed;
      return found === undefined ? emptyMemory : readMemoryRecord(found.stored, found.place);
    }
    const target = await this.#records.ofOwner(sessionId, scope);
    const stored = await readStored(target);
    if (stored !== null || scope.takesSeed !== true) return readMemoryRecord(stored, target.place);
    for (const seed of this.#records.seedsOf(sessionId, scope.signal)) {
      if (await takeSeed(seed, target)) return readMemoryRecord(await readStored(target), target.place);
    }
    return emptyMemory;
  }

  async #withMessages(
    record: MemoryRecord,
    messages: readonly ChatMessage[],
    options: AddTurnOptions,
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

  #uncertainIn({ driver }: LockedRecord): UncertainAdditions {
    const known = this.#uncertain.get(driver) ?? new UncertainAdditions();
    this.#uncertain.set(driver, known);
    return known;
  }
}

function hasTurn({ through }: MemoryRecord, options: AddTurnOptions): boolean {
  if (options.through === undefined) return false;
  return options.after === undefined ? options.through <= through : options.after !== through;
}

function contextOf(record: MemoryRecord): string {
  const about = "What was said earlier in this conversation, oldest first.";
  return dataBlock({ tag: "conversation_summary", about, lines: readSummaries(record) });
}

// A damaged memory record counts as empty when it is deleted. The turns that it included are then unknown.
function readableOrEmpty(stored: Json | null, { place }: LockedRecord): MemoryRecord {
  try {
    return readMemoryRecord(stored, place);
  } catch {
    return emptyMemory;
  }
}
