import type { StorageDriver, StorageEntry } from "../storage/storage-driver.ts";
import { scan } from "./scan.ts";
import { isMemberSessionId } from "./session-id.ts";
import { ownerPrefix, namespaces, sessionKey, sessionIdOf } from "./session-keys.ts";
import type { SessionOwner } from "./session-owner.ts";
import { readSessionRecord, toSessionInfo } from "./session-record.ts";
import type { SessionInfo } from "./session-record.ts";

/** A page of a user's sessions by id. `next` is the cursor of the next page, and is absent on the last. */
export type SessionPage = { sessions: SessionInfo[]; next?: string };

type Listing = { owner: SessionOwner; limit: number; after: string | undefined };

/**
 * Returns a page of a user's sessions, without those that teams opened for their members. It is empty for an owner
 * without a `userId`.
 */
export async function listSessions(driver: StorageDriver, { owner, limit, after }: Listing): Promise<SessionPage> {
  const sessions: SessionInfo[] = [];
  // Without a user there is no owner whose list it could be.
  if (owner.userId === undefined) return { sessions };
  for await (const { key, value } of ownSessions(driver, owner, after)) {
    const sessionId = sessionIdOf(key);
    if (isMemberSessionId(sessionId)) continue;
    const last = sessions.at(-1);
    if (sessions.length === limit && last !== undefined) return { sessions, next: last.sessionId };
    sessions.push(toSessionInfo(sessionId, readSessionRecord(value, { namespace: namespaces.sessions, key })));
  }
  return { sessions };
}

/**
 * Lists the stored records of all sessions of an owner by their keys, unchecked: also of members and damaged ones.
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
    prefix: ownerPrefix(owner),
    after: after === undefined ? undefined : sessionKey(owner, after),
  });
  for await (const page of pages) yield* page;
}
