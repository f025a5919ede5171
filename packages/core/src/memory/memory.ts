import { checkCount } from "../errors/check-option.ts";
import type { ChatMessage } from "../message/message.ts";
import type { ModelProvider } from "../model/model-provider.ts";
import { checkStoredSessionId } from "../session/session-id.ts";
import { namespaces, sessionKey } from "../session/session-keys.ts";
import { checkOwner } from "../session/session-owner.ts";
import { untilAborted } from "../async/until-aborted.ts";
import { BoundedStorage } from "../storage/bounded-storage.ts";
import type { Json } from "../storage/json.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { createId } from "../util/create-id.ts";
import { changeRecord } from "./change-record.ts";
import { checkFlag, checkModel, checkThrough, refuseUnknownOptions } from "./check-memory.ts";
import { dataBlock } from "./data-block.ts";
import type { Turn } from "./in-turn.ts";
import { LateStorage } from "./late-storage.ts";
import { readSummaries, remember } from "./long-term.ts";
import type { AddMessagesOptions, ClearOptions, MemoryOptions, MemoryScope, Recollection } from "./memory-options.ts";
import { emptyMemory, readMemoryRecord } from "./memory-record.ts";
import type { MemoryRecord } from "./memory-record.ts";
import { toConversation } from "./to-conversation.ts";
import { UnsettledAdditions } from "./unsettled-additions.ts";
import { trimWindow, viewWindow } from "./window.ts";

/** The window is one record, written with each turn: it fits into the 16 MB of a MongoDB document in any script. */
const mostCharacters = 4_000_000;

const optionNames = ["storage", "maxShortTermMessages", "enableLongTerm", "model"];

/** What was said in sessions: the newest messages as they are, and what came before in summaries. */
export class Memory {
  readonly #storage: LateStorage;
  readonly #maxMessages: number;
  readonly #isLongTerm: boolean;
  readonly #model: ModelProvider | undefined;
  readonly #unsettled = new UnsettledAdditions();

  constructor(options: MemoryOptions = {}) {
    refuseUnknownOptions(options, "Memory", optionNames);
    const { storage, maxShortTermMessages = 50, enableLongTerm = false, model } = options;
    this.#storage = new LateStorage("Memory", storage, () => new BoundedStorage());
    this.#maxMessages = checkCount(maxShortTermMessages, "maxShortTermMessages", 1);
    this.#isLongTerm = checkFlag(enableLongTerm, "enableLongTerm");
    this.#model = checkModel(model, "model");
  }

  /** Uses an agent's storage when the memory has none of its own; a second, different one is `invalid_config`. */
  bindStorage(driver: StorageDriver): void {
    this.#storage.bind(driver);
  }

  /**
   * Adds messages behind all others; instructions among them are left out, for they are no part of a conversation. When it
   * rejects, the messages are stored whole or not at all, and the same may be added again: they are stored once.
   */
  async addMessages(
    sessionId: string,
    messages: readonly ChatMessage[],
    options: AddMessagesOptions = {},
  ): Promise<void> {
    const turn = this.#turnOf(sessionId, options);
    const addition = { id: createId(), messages: toConversation(messages) };
    checkThrough(options.through);
    checkThrough(options.after, "after");
    if (addition.messages.length === 0 && options.through === undefined) return;
    await changeRecord(turn, async (stored) => {
      const record = readMemoryRecord(stored, turn.place);
      if (isTakenIn(record, options) || this.#unsettled.isStored(turn.place.key, addition, record)) return undefined;
      const next = await this.#withMessages(record, addition.messages, options);
      this.#unsettled.note(turn.place.key, addition);
      return { ...next, additionId: addition.id, through: options.through ?? record.through } as unknown as Json;
    });
    this.#unsettled.settle(turn.place.key);
  }

  /** The newest messages, at most `maxShortTermMessages`. They begin with the user, and every call has its result. */
  async getMessages(sessionId: string, scope: MemoryScope = {}): Promise<ChatMessage[]> {
    return (await this.recall(sessionId, scope)).messages;
  }

  /** What is left of older messages, oldest first. */
  async getSummaries(sessionId: string, scope: MemoryScope = {}): Promise<string[]> {
    return readSummaries(await this.#read(sessionId, scope));
  }

  /** The summaries as data for a prompt; empty when there are none. */
  async getContextString(sessionId: string, scope: MemoryScope = {}): Promise<string> {
    return (await this.recall(sessionId, scope)).context;
  }

  /** All that is remembered of a session, in one look. */
  async recall(sessionId: string, scope: MemoryScope = {}): Promise<Recollection> {
    const record = await this.#read(sessionId, scope);
    return {
      messages: viewWindow(record, this.#maxMessages),
      context: contextOf(record),
      through: record.through,
    };
  }

  /** Forgets what was said in a session. */
  async clear(sessionId: string, options: ClearOptions = {}): Promise<void> {
    const turn = this.#turnOf(sessionId, options);
    checkThrough(options.through);
    await changeRecord(turn, async (stored) => {
      const through = options.through ?? throughOf(stored, turn);
      return through === 0 ? null : ({ ...emptyMemory, through } as unknown as Json);
    });
    this.#unsettled.settle(turn.place.key);
  }

  async #read(sessionId: string, scope: MemoryScope): Promise<MemoryRecord> {
    const { driver, place, signal } = this.#turnOf(sessionId, scope);
    return readMemoryRecord(await untilAborted(() => driver.get(place.namespace, place.key), signal), place);
  }

  async #withMessages(
    record: MemoryRecord,
    messages: readonly ChatMessage[],
    options: AddMessagesOptions,
  ): Promise<MemoryRecord> {
    const all = { messages: [...record.messages, ...messages], isCut: record.isCut };
    const { window, overflow } = trimWindow(all, { messages: this.#maxMessages, characters: mostCharacters });
    const next = { ...record, messages: [...window.messages], isCut: window.isCut };
    if (!this.#isLongTerm || overflow.length === 0) return next;
    const model = this.#model ?? options.model;
    return { ...next, ...(await remember(record, overflow, { ...options, model, maxMessages: this.#maxMessages })) };
  }

  #turnOf(sessionId: string, { tenantId, signal }: MemoryScope): Turn {
    const owner = checkOwner({ tenantId });
    const key = sessionKey(owner.tenantId, checkStoredSessionId(sessionId));
    return { driver: this.#storage.driver, place: { namespace: namespaces.memory, key }, signal };
  }
}

function isTakenIn({ through }: MemoryRecord, options: AddMessagesOptions): boolean {
  if (options.through === undefined) return false;
  return options.after === undefined ? options.through <= through : options.after !== through;
}

function contextOf(record: MemoryRecord): string {
  const about = "What was said earlier in this conversation, oldest first.";
  return dataBlock({ tag: "conversation_summary", about, lines: readSummaries(record) });
}

/** Also a damaged record can be forgotten; which turns it held is then not known. */
function throughOf(stored: Json | null, { place }: Turn): number {
  try {
    return readMemoryRecord(stored, place).through;
  } catch {
    return 0;
  }
}
