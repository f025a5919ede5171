import { TroupeError } from "../errors/troupe-error.ts";
import type { Json } from "../storage/json.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { namespaces } from "./session-keys.ts";
import { mayUse } from "./session-owner.ts";
import type { SessionOwner } from "./session-owner.ts";
import { newSessionRecord, readSessionRecord } from "./session-record.ts";
import type { SessionRecord } from "./session-record.ts";

/** Whom a session is looked up for, and under which key. */
export type Claim = { key: string; sessionId: string; owner: SessionOwner };

/** The session's record, or `null` when there is none yet. Somebody else's is `not_found`. */
export async function findSession(driver: StorageDriver, claim: Claim): Promise<SessionRecord | null> {
  const place = { namespace: namespaces.sessions, key: claim.key };
  const value = await driver.get(place.namespace, place.key);
  if (value === null) return null;
  const session = readSessionRecord(value, place);
  if (!mayUse(session.owner, claim.owner)) throw noSession(claim.sessionId);
  return session;
}

/** A session, and whether nobody had it before. */
export type BoundSession = { session: SessionRecord; isNew: boolean };

/** Makes the session the owner's. Should another process have been first, it is whose that process made it. */
export async function bindSession(driver: StorageDriver, claim: Claim): Promise<BoundSession> {
  const session = newSessionRecord(claim.owner);
  const value = session as unknown as Json;
  if (driver.compareAndSet === undefined) {
    await driver.set(namespaces.sessions, claim.key, value);
    return { session, isNew: true };
  }
  const isNew = await driver.compareAndSet(namespaces.sessions, claim.key, null, value);
  if (isNew) return { session, isNew };
  const other = await findSession(driver, claim);
  if (other === null) throw new TroupeError("conflict", "The session was deleted while it was opened. Try again.");
  return { session: other, isNew };
}

/** What is said of a session that does not exist, and of one that is somebody else's. */
export function noSession(sessionId: string): TroupeError {
  return new TroupeError("not_found", `There is no session ${JSON.stringify(sessionId)}.`);
}
