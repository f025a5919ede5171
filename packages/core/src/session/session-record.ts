import type { SessionOwner } from "./session-owner.ts";
import { isCount, isOptionalText, isRecord, readRecord, recordVersion } from "../storage/stored-record.ts";
import type { RecordKey } from "../storage/stored-record.ts";

/** A session as it is stored. Times are epoch milliseconds. */
export type SessionRecord = {
  v: 1;
  owner: SessionOwner;
  createdAt: number;
  updatedAt: number;
  /** How many turns are known to be stored; a crash may have left one more (see `turn-log.ts`). */
  turns: number;
  title?: string;
};

/** A session that nothing has been said in. */
export function newSessionRecord(owner: SessionOwner): SessionRecord {
  const now = Date.now();
  return { v: recordVersion, owner, createdAt: now, updatedAt: now, turns: 0 };
}

/** Takes a stored session. Fields it does not know are kept, so that writing it back loses nothing. */
export function readSessionRecord(value: unknown, place: RecordKey): SessionRecord {
  return readRecord(value, place, isSessionRecord);
}

/** Whose a stored session is, also when the rest of it is damaged; `null` when that cannot be told. */
export function readOwner(value: unknown): SessionOwner | null {
  return isRecord(value) && isOwner(value["owner"]) ? value["owner"] : null;
}

function isSessionRecord(value: unknown): value is SessionRecord {
  return (
    isRecord(value) &&
    value["v"] === recordVersion &&
    isOwner(value["owner"]) &&
    Number.isFinite(value["createdAt"]) &&
    Number.isFinite(value["updatedAt"]) &&
    isCount(value["turns"]) &&
    isOptionalText(value["title"])
  );
}

function isOwner(value: unknown): value is SessionOwner {
  return isRecord(value) && isOptionalText(value["tenantId"]) && isOptionalText(value["userId"]);
}
