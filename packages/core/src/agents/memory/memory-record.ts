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
 * The stored memory of a session. It is one record, so that each change is one write: messages leave the window and enter
 * the summaries at once, and a reader needs one look.
 */
export type MemoryRecord = {
  v: 1;
  /** The window (see `window.ts`). */
  messages: ChatMessage[];
  /** True when the only turn in the window was too large itself and has lost its first steps. */
  hasLostSteps: boolean;
  /** Messages that left the window and are not summarised yet, as lines of a transcript. */
  pending: string[];
  /** Oldest first. */
  summaries: string[];
  /** The number of the last turn of the session that is part of this; 0 when none is known to be. */
  through: number;
  /** The turns in the window that have state of vendors, oldest first; absent until there is one. */
  vendorStateTurns?: VendorStateTurn[];
  /** The id of the last addition. */
  additionId: string;
  /** True once the memory has its entry in `memory-by-id`. Records of earlier releases get it with their next turn. */
  indexed?: true;
  /** True from the takeover of a seed until the seed is removed. */
  hasSeed?: true;
  /** In a seed: the key of the session that takes it over, and that alone may. */
  takenBy?: string;
};

/** Memory record of a session of which nothing is remembered yet. */
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
 * Returns a session's stored memory after a check of its shape, and `emptyMemory` for `null`; throws `storage_corrupt`
 * when it is damaged.
 */
export function readMemoryRecord(value: Json | null, place: RecordKey): MemoryRecord {
  if (value === null) return emptyMemory;
  const read = isRecord(value) ? { ...value, messages: fromStoredMessages(value["messages"]) } : value;
  return readRecord(read, place, isMemoryRecord);
}

/** Tells if nothing is remembered in a stored memory. One that is damaged is not known to be empty. */
export function isForgotten(value: Json | null, place: RecordKey): boolean {
  try {
    const { messages, pending, summaries } = readMemoryRecord(value, place);
    return messages.length + pending.length + summaries.length === 0;
  } catch {
    return false;
  }
}

/** Returns the JSON that a session's memory is stored as. */
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
