import type { ChatMessage } from "../message/message.ts";
import { isChatMessage } from "../history/is-chat-message.ts";
import { isCount, isList, readRecord, recordVersion } from "../storage/stored-record.ts";
import { isRecord } from "../util/is-record.ts";
import type { RecordKey } from "../storage/stored-record.ts";
import type { Json } from "../storage/json.ts";

/**
 * All that is remembered of a session. It is one record, so that each change is one write: nothing leaves the window without
 * standing in what became of it, and a reader needs one look.
 */
export type MemoryRecord = {
  v: 1;
  /** The window (see `window.ts`). */
  messages: ChatMessage[];
  isCut: boolean;
  /** What left the window and is not summarised yet, as the lines of a transcript. */
  pending: string[];
  /** Oldest first. */
  summaries: string[];
  /** The number of the last turn of the session that is part of this; 0 when none is known to be. */
  through: number;
  /** The id of the last addition. */
  additionId: string;
};

/** What is remembered of a session in which nothing was said. */
export const emptyMemory: MemoryRecord = Object.freeze({
  v: recordVersion,
  messages: [],
  isCut: false,
  pending: [],
  summaries: [],
  through: 0,
  additionId: "",
});

/** Takes what is stored, or nothing; damage is `storage_corrupt`. */
export function readMemoryRecord(value: Json | null, place: RecordKey): MemoryRecord {
  return value === null ? emptyMemory : readRecord(value, place, isMemoryRecord);
}

function isMemoryRecord(value: unknown): value is MemoryRecord {
  return (
    isRecord(value) &&
    value["v"] === recordVersion &&
    isList(value["messages"], isChatMessage) &&
    typeof value["isCut"] === "boolean" &&
    isList(value["pending"], isText) &&
    isList(value["summaries"], isText) &&
    isCount(value["through"]) &&
    typeof value["additionId"] === "string"
  );
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
