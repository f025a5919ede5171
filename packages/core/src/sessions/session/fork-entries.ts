import { isRecord } from "../../base/util/is-record.ts";
import { encodeKey } from "../storage/encode-key.ts";
import type { StorageDriver, Write } from "../storage/storage-driver.ts";
import { isCount, readRecord, recordVersion } from "../storage/stored-record.ts";
import { applyWrites } from "./change-session.ts";
import { findSession } from "./create-session.ts";
import { scan } from "./scan.ts";
import { keyPrefixOf, namespaces, sessionIdOf, sessionRef, turnKey } from "./session-keys.ts";
import type { SessionRef } from "./session-keys.ts";
import type { ForkPoint, SessionRecord } from "./session-record.ts";

/** An entry about a fork, stored under the session that it was made from: the number of the last shared turn. */
type ForkEntry = {
  readonly v: 1;
  readonly seq: number;
  /**
   * True for a hidden session that is not complete yet. Turns that forks share are copied to it before they are
   * deleted.
   */
  readonly isUnfinished?: true;
};

/** A fork of a session: its id, and the number of the last turn that both share. */
export type Fork = { readonly forkId: string; readonly seq: number };

/** The entries under a session: its forks, and the hidden session for shared turns that is not finished, if any. */
export type Forks = { readonly forks: readonly Fork[]; readonly unfinished: Fork | undefined };

/** Returns the key of the entry of a fork. */
export function forkKey(source: SessionRef, forkId: string): string {
  return keyPrefixOf(source.key) + encodeKey(forkId);
}

/** Returns the write that stores the entry of a fork. */
export function entryWrite(source: SessionRef, { forkId, seq }: Fork, isUnfinished = false): Write {
  const value = { v: recordVersion, seq, ...(isUnfinished && { isUnfinished }) };
  return { namespace: namespaces.forks, key: forkKey(source, forkId), value };
}

/**
 * Reads the forks of a session. Removes entries whose fork does not exist or has another source, because the process
 * that made or moved the fork has crashed.
 */
export async function readForks(driver: StorageDriver, source: SessionRef): Promise<Forks> {
  const forks: Fork[] = [];
  let unfinished: Fork | undefined;
  for await (const page of scan(driver, { namespace: namespaces.forks, prefix: keyPrefixOf(source.key) })) {
    for (const { key, value } of page) {
      const entry = readRecord(value, { namespace: namespaces.forks, key }, isForkEntry);
      const fork = { forkId: sessionIdOf(key), seq: entry.seq };
      if (entry.isUnfinished === true) unfinished = fork;
      else if (await isLive(driver, source, fork)) forks.push(fork);
    }
  }
  return { forks, unfinished };
}

/**
 * Returns true if a fork exists and reads from the session. Otherwise removes its entry. A process that is making the
 * fork looks for the entry once it has written the fork's record, so the record is read again after the removal.
 */
async function isLive(driver: StorageDriver, source: SessionRef, fork: Fork): Promise<boolean> {
  if (await isFork(driver, source, fork)) return true;
  await driver.delete(namespaces.forks, forkKey(source, fork.forkId));
  const ref = sessionRef(source.owner, fork.forkId);
  if ((await findSession(driver, ref)) === null) {
    await driver.delete(namespaces.turns, turnKey(ref.key, fork.seq));
    return false;
  }
  if (!(await isFork(driver, source, fork))) return false;
  await applyWrites(driver, [entryWrite(source, fork)]);
  return true;
}

async function isFork(driver: StorageDriver, source: SessionRef, { forkId }: Fork): Promise<boolean> {
  const session = await findSession(driver, sessionRef(source.owner, forkId));
  return session !== null && readsFrom(session, source);
}

/** Returns true if a session is a fork that reads from another session, and is not being removed. */
export function readsFrom<Read extends SessionRecord>(
  session: Read,
  source: SessionRef,
): session is Read & { from: ForkPoint } {
  return session.from?.sessionId === source.sessionId && session.from.isLeft !== true;
}

function isForkEntry(value: unknown): value is ForkEntry {
  return isRecord(value) && value["v"] === recordVersion && isCount(value["seq"]);
}
