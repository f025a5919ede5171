import { isRecord } from "../../base/util/is-record.ts";
import type { SessionOwner } from "../storage/session-owner.ts";
import type { Json } from "../storage/json.ts";
import type { StorageDriver, Write } from "../storage/storage-driver.ts";
import { isCount, isOptionalString, readRecord, recordVersion } from "../storage/stored-record.ts";
import type { RecordKey } from "../storage/stored-record.ts";
import { applyWrites } from "./change-session.ts";
import { scan } from "./scan.ts";
import { keyPrefixOf, namespaces, ownerPrefix, sessionIdOf, sessionKey } from "./session-keys.ts";

/**
 * A share of a session, stored under the key of the session, so that it is removed with the session. The secret of its
 * link is stored as a hash.
 */
export type ShareRecord = {
  v: 1;
  owner: SessionOwner;
  sessionId: string;
  /** SHA-256 of the secret, in hexadecimal. */
  hash: string;
  /** The time at which the session was created: a later session of the same id is not shared. */
  sessionAt: number;
  title?: string;
  createdAt: number;
  expiresAt: number;
  /** The number of the last turn that is shared. */
  lastTurn: number;
  /** True if the arguments and results of tools are shared too. */
  hasTools: boolean;
};

/** Public description of a share, without its secret. Times are epoch milliseconds. */
export type ShareInfo = {
  shareId: string;
  sessionId: string;
  /** The title that the session had when it was shared. */
  title?: string;
  createdAt: number;
  expiresAt: number;
  /** The number of the last turn that is shared. */
  lastTurn: number;
  /** True if the arguments and results of tools are shared too. */
  hasTools: boolean;
};

/** Returns the prefix of the keys of the shares of a session, or of all sessions of an owner. */
export function sharesPrefix(owner: SessionOwner, sessionId: string | undefined): string {
  return sessionId === undefined ? ownerPrefix(owner) : keyPrefixOf(sessionKey(owner, sessionId));
}

/** Returns the id of the share with this key. */
export const shareIdOf = sessionIdOf;

/** Returns the writes that store a share: the record, and the entry by which its id finds it. */
export function shareWrites(shareId: string, record: ShareRecord): Write[] {
  const key = sharesPrefix(record.owner, record.sessionId) + shareId;
  const value = record as unknown as Json;
  return [
    { namespace: namespaces.sessionShares, key, value },
    { namespace: namespaces.shares, key: shareId, value: { v: recordVersion, key } },
  ];
}

/** A stored share, and the key of its record. */
export type FoundShare = { readonly shareId: string; readonly key: string; readonly record: ShareRecord };

/** Returns the share of an id; `undefined` if there is none. */
export async function findShare(driver: StorageDriver, shareId: string): Promise<FoundShare | undefined> {
  const entry = await driver.get(namespaces.shares, shareId);
  if (entry === null) return undefined;
  const { key } = readRecord(entry, { namespace: namespaces.shares, key: shareId }, isShareEntry);
  const stored = await driver.get(namespaces.sessionShares, key);
  return stored === null ? undefined : { shareId, key, record: toShareRecord(stored, key) };
}

/** Returns a stored share after a check of its shape. Throws `storage_corrupt` if it is damaged. */
export function toShareRecord(value: unknown, key: string): ShareRecord {
  const at: RecordKey = { namespace: namespaces.sessionShares, key };
  return readRecord(value, at, isShareRecord);
}

/** Removes a share: first its record, without which its link finds nothing. */
export async function removeShare(driver: StorageDriver, key: string): Promise<void> {
  await applyWrites(driver, [
    { namespace: namespaces.sessionShares, key, value: null },
    { namespace: namespaces.shares, key: shareIdOf(key), value: null },
  ]);
}

/** Removes all shares whose keys begin with a prefix. After a rejection, some may remain. */
export async function removeShares(
  { driver, confirm }: { driver: StorageDriver; confirm?: () => Promise<void> },
  prefix: string,
): Promise<void> {
  for await (const page of scan(driver, { namespace: namespaces.sessionShares, prefix })) {
    await confirm?.();
    // The entry by id goes first: a repeated removal can find it only through the record.
    for (const { key } of page) {
      await driver.delete(namespaces.shares, shareIdOf(key));
      await driver.delete(namespaces.sessionShares, key);
    }
  }
}

function isShareEntry(value: unknown): value is { v: 1; key: string } {
  return isRecord(value) && value["v"] === recordVersion && typeof value["key"] === "string";
}

function isShareRecord(value: unknown): value is ShareRecord {
  if (!isRecord(value)) return false;
  const { v, owner, sessionId, hash, title, hasTools } = value;
  const counts = [value["sessionAt"], value["createdAt"], value["expiresAt"], value["lastTurn"]];
  return (
    v === recordVersion &&
    isRecord(owner) &&
    [sessionId, hash].every((text) => typeof text === "string") &&
    isOptionalString(title) &&
    counts.every(isCount) &&
    typeof hasTools === "boolean"
  );
}
