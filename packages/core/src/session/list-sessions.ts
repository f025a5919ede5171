import type { StorageDriver, StorageEntry } from "../storage/storage-driver.ts";
import { scan } from "./scan.ts";
import { isMemberSessionId } from "./session-id.ts";
import { belongingTo, namespaces, sessionKey, sessionOfKey } from "./session-keys.ts";
import type { SessionOwner } from "./session-owner.ts";
import { readSessionRecord, toSessionInfo } from "./session-record.ts";
import type { SessionInfo } from "./session-record.ts";

/** A page of sessions, and the cursor of the next page when there is one. */
export type SessionPage = { sessions: SessionInfo[]; next?: string };

type Listing = { owner: SessionOwner; limit: number; after: string | undefined };

/** Lists the sessions of a user, without those that teams opened for their members. */
export async function listSessions(driver: StorageDriver, { owner, limit, after }: Listing): Promise<SessionPage> {
  const sessions: SessionInfo[] = [];
  // Without a user there is no owner whose list it could be.
  if (owner.userId === undefined) return { sessions };
  for await (const { key, value } of ownSessions(driver, owner, after)) {
    const sessionId = sessionOfKey(key);
    if (isMemberSessionId(sessionId)) continue;
    const last = sessions.at(-1);
    if (sessions.length === limit && last !== undefined) return { sessions, next: last.sessionId };
    sessions.push(toSessionInfo(sessionId, readSessionRecord(value, { namespace: namespaces.sessions, key })));
  }
  return { sessions };
}

/**
 * Lists the stored sessions of an owner, also damaged ones.
 *
 * @yields one entry for each session
 */
export async function* ownSessions(
  driver: StorageDriver,
  owner: SessionOwner,
  after?: string,
): AsyncGenerator<StorageEntry> {
  const pages = scan(driver, {
    namespace: namespaces.sessions,
    prefix: belongingTo(owner),
    after: after === undefined ? undefined : sessionKey(owner, after),
  });
  for await (const page of pages) yield* page;
}
