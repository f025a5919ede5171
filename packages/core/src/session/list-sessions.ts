import type { StorageDriver, StorageEntry } from "../storage/storage-driver.ts";
import { scan } from "./scan.ts";
import { isMemberSessionId } from "./session-id.ts";
import { below, namespaces, sessionKey, sessionOfKey, tenantPart } from "./session-keys.ts";
import type { SessionOwner } from "./session-owner.ts";
import { readOwner, readSessionRecord, toSessionInfo } from "./session-record.ts";
import type { SessionInfo } from "./session-record.ts";

/** A page of sessions, and the cursor of the next page when there is one. */
export type SessionPage = { sessions: SessionInfo[]; next?: string };

type Listing = { owner: SessionOwner; limit: number; after: string | undefined };

/** Lists the sessions of a user, without those that teams opened for their members. */
export async function listSessions(driver: StorageDriver, { owner, limit, after }: Listing): Promise<SessionPage> {
  const sessions: SessionInfo[] = [];
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
 * Lists the stored sessions of a user. A record too damaged to tell its owner is left out.
 *
 * @yields one entry for each session
 */
export async function* ownSessions(
  driver: StorageDriver,
  { tenantId, userId }: SessionOwner,
  after?: string,
): AsyncGenerator<StorageEntry> {
  if (userId === undefined) return;
  const pages = scan(driver, {
    namespace: namespaces.sessions,
    prefix: below(tenantPart(tenantId)),
    after: after === undefined ? undefined : sessionKey(tenantId, after),
  });
  for await (const page of pages) yield* page.filter(({ value }) => readOwner(value)?.userId === userId);
}
