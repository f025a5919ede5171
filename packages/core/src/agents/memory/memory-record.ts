import { isChatMessage } from "../../sessions/history/is-chat-message.ts";
import { fromStoredMessages, toStoredMessages } from "../../sessions/history/stored-messages.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import type { Json } from "../../sessions/storage/json.ts";
import {
  isArrayOf,
  isCount,
  isOptionalString,
  readRecord,
  recordVersion,
} from "../../sessions/storage/stored-record.ts";
import type { RecordKey } from "../../sessions/storage/stored-record.ts";
import { isRecord } from "../../base/util/is-record.ts";
import type { VendorStateTurn } from "./memory-options.ts";

/**
 * The stored memory of a session. It is a single record, so that each change is one write. Messages move from the
 * window to the summaries atomically, and a reader needs one read.
 */
export type MemoryRecord = {
  v: 1;
  /** The messages of the window (see `window.ts`). */
  messages: ChatMessage[];
  /** True if the window's only turn was too large for the window, so that its first steps were dropped. */
  hasLostSteps: boolean;
  /** Messages that left the window and are not summarised yet, as lines of a transcript. */
  pending: string[];
  /** The summaries, oldest first. */
  summaries: string[];
  /** The number of the last turn of the session that the memory includes; 0 if no turn is known. */
  through: number;
  /** The turns in the window that have vendor state, oldest first; absent until the first such turn. */
  vendorStateTurns?: VendorStateTurn[];
  /** The id of the last addition of messages to the memory. */
  additionId: string;
  /**
   * True once the memory has its entry in `memory-by-id`. Memories that an earlier release stored get the entry with
   * their next turn.
   */
  indexed?: true;
  /**
   * True if this memory has taken over messages that were added before the session began, while the record of those
   * messages still exists.
   */
  hasSeed?: true;
  /**
   * In a record of messages that were added before their session began: the key of the session that takes them over. No
   * other session may do so.
   */
  takenBy?: string;
};

/** Memory record of a session that has no memory yet. */
export const emptyMemory: MemoryRecord = Object.freeze({
  v: recordVersion,
  messages: [],
  hasLostSteps: false,
  pending: [],
  summaries: [],
  through: 0,
  additionId: "",
});

/**
 * Returns a session's stored memory after a check of its shape, and `emptyMemory` for `null`. Throws `storage_corrupt`
 * if it is damaged.
 */
export function readMemoryRecord(value: Json | null, place: RecordKey): MemoryRecord {
  if (value === null) return emptyMemory;
  const read = isRecord(value) ? { ...value, messages: fromStoredMessages(value["messages"]) } : value;
  return readRecord(read, place, isMemoryRecord);
}

/** Returns true if a stored memory is empty. Returns false for a damaged memory. */
export function isForgotten(value: Json | null, place: RecordKey): boolean {
  try {
    const { messages, pending, summaries } = readMemoryRecord(value, place);
    return messages.length + pending.length + summaries.length === 0;
  } catch {
    return false;
  }
}

/** Returns the JSON value that is stored for a session's memory. */
export function toStoredMemory(record: MemoryRecord): Json {
  return { ...record, messages: toStoredMessages(record.messages) };
}

function isMemoryRecord(value: unknown): value is MemoryRecord {
  return (
    isRecord(value) &&
    value["v"] === recordVersion &&
    isArrayOf(value["messages"], isChatMessage) &&
    typeof value["hasLostSteps"] === "boolean" &&
    isArrayOf(value["pending"], isString) &&
    isArrayOf(value["summaries"], isString) &&
    isCount(value["through"]) &&
    isArrayOf(value["vendorStateTurns"] ?? [], isVendorStateTurn) &&
    hasOrigin(value)
  );
}

function hasOrigin({ additionId, takenBy }: Record<string, unknown>): boolean {
  return typeof additionId === "string" && isOptionalString(takenBy);
}

function isVendorStateTurn(value: unknown): value is VendorStateTurn {
  return isRecord(value) && isCount(value["seq"]) && isCount(value["fromEnd"]);
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}
