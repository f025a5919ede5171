import type { Lease } from "../lock/lease.ts";
import type { Json } from "../storage/json.ts";
import type { StorageDriver, StorageEntry } from "../storage/storage-driver.ts";
import { corruptRecord } from "../storage/stored-record.ts";
import { applyWrites, changeSession } from "./change-session.ts";
import { PartStore } from "./part-store.ts";
import { scan } from "./scan.ts";
import { keyPrefixOf, namespaces, turnKey, turnNumberOf } from "./session-keys.ts";
import type { SessionRef } from "./session-keys.ts";
import { sharedPoint } from "./session-record.ts";
import type { SessionRecord } from "./session-record.ts";
import { readTurnOrCut, tombstoneOf } from "./turn-cut.ts";
import type { TurnCut, TurnOrCut } from "./turn-cut.ts";

/** A session whose turns are deleted under its lease. */
export type CuttableSession = { driver: StorageDriver; ref: SessionRef; lease: Lease };

/**
 * Deletes the turns of a session from a number on, and returns the session's record. Returns `null` if there is no such
 * turn, or the session's record could not be changed, such as after its deletion.
 *
 * A single write deletes the turns: the cut in the session's record, which every reader applies. `finishCut` then
 * removes the data of the turns. After a crash between the two, the session's next run or deletion of turns calls
 * `finishCut` first.
 */
export async function cutTurns(
  { driver, ref, lease }: CuttableSession,
  { from, session }: { from: number; session: SessionRecord },
): Promise<SessionRecord | null> {
  const found = await readFrom(driver, ref, from);
  const cut = { from, through: Math.max(session.turns, found.at(-1)?.seq ?? 0) };
  const shared = Math.max(0, (session.from?.seq ?? 0) - from + 1);
  const count = found.filter(({ turn }) => turn !== undefined).length + shared;
  if (count === 0) return null;
  await lease.confirm();
  const change = (stored: SessionRecord) => withCut(stored, cut, count);
  const written = await changeSession(driver, ref.key, { change, known: session });
  return written === null ? null : written.after;
}

/** Replaces the turns deleted by a cut with tombstones, and returns the session's record without the cut. */
export async function finishCut(
  { driver, ref, lease }: CuttableSession,
  session: SessionRecord,
): Promise<SessionRecord> {
  const { cut } = session;
  if (cut === undefined) return session;
  const value = tombstoneOf(cut) as unknown as Json;
  const range = { namespace: namespaces.turns, prefix: keyPrefixOf(ref.key), after: turnKey(ref.key, cut.from - 1) };
  for await (const page of scan(driver, range)) {
    await lease.confirm();
    const deleted = page.filter(({ key }) => (turnNumberOf(ref.key, key) ?? Infinity) <= cut.through);
    for (const entry of deleted) await removeParts({ driver, ref, lease }, entry);
    await applyWrites(
      driver,
      deleted.map(({ key }) => ({ namespace: namespaces.turns, key, value })),
    );
  }
  return (await changeSession(driver, ref.key, { change: withoutCut, known: session }))?.after ?? withoutCut(session);
}

/** Removes the large data of a deleted turn, before the turn's record, which refers to the data. */
async function removeParts({ driver, ref, lease }: CuttableSession, { key, value }: StorageEntry): Promise<void> {
  const seq = turnNumberOf(ref.key, key);
  if (seq === undefined) return;
  const { turn } = readTurnOrCut(value, seq, { namespace: namespaces.turns, key });
  await new PartStore(driver, ref.key).removeTurn(seq, turn, () => lease.confirm());
}

/** Applies a cut to a session's record. A session without remaining turns loses an automatic title. */
function withCut(stored: SessionRecord, cut: TurnCut, count: number): SessionRecord {
  const removed = (stored.removed ?? 0) + count;
  const next = { ...stored, turns: Math.max(stored.turns, cut.through), removed, cut };
  if (next.turns > removed || stored.titleBy === undefined || stored.titleBy === "user") return next;
  const { title: _title, titleBy: _by, ...untitled } = next;
  return untitled;
}

/** Ends a cut in a session's record, and the shared part of a fork before the cut. */
function withoutCut(stored: SessionRecord): SessionRecord {
  const from = sharedPoint(stored);
  const { cut: _cut, ...rest } = stored;
  return from === undefined ? rest : { ...rest, from };
}

async function readFrom(driver: StorageDriver, ref: SessionRef, from: number): Promise<TurnOrCut[]> {
  const found: TurnOrCut[] = [];
  const range = { namespace: namespaces.turns, prefix: keyPrefixOf(ref.key), after: turnKey(ref.key, from - 1) };
  for await (const page of scan(driver, range)) {
    for (const { key, value } of page) {
      const at = { namespace: namespaces.turns, key };
      const seq = turnNumberOf(ref.key, key);
      if (seq === undefined) throw corruptRecord(at);
      found.push(readTurnOrCut(value, seq, at));
    }
  }
  return found;
}
