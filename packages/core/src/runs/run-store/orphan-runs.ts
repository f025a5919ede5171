import { runNamespaces } from "../../agents/journal/log-entry.ts";
import { scan } from "../../sessions/session/scan.ts";
import { encodeKey } from "../../sessions/storage/encode-key.ts";
import { inputKeys } from "./run-input.ts";
import { byKeys, callerOfOpen, readOpenRun, runIdOf } from "./run-record.ts";
import type { OpenRun, RunStorage } from "./run-record.ts";

type OrphanRunsInit = { storage: RunStorage; now: () => number; removeLog: (runId: string) => Promise<void> };

const pageSize = 100;
/** Milliseconds after which no process is still writing a run whose record is missing. */
const orphanMs = 60_000;

/** Runs on the list of open ones that have no record: their processes died while they accepted them. */
export class OrphanRuns {
  readonly #init: OrphanRunsInit;
  /** The times at which the record was first seen to be missing. */
  readonly #missing = new Map<string, number>();

  constructor(init: OrphanRunsInit) {
    this.#init = init;
  }

  /** Removes what is left of a run without a record, unless it may be being accepted. Returns false when there is nothing of it. */
  async close(runId: string): Promise<boolean> {
    const { storage, now, removeLog } = this.#init;
    const key = encodeKey(runId);
    const value = await storage.get(runNamespaces.open, key);
    const since = this.#missing.get(runId) ?? now();
    if (value === null) {
      this.#missing.delete(runId);
      return false;
    }
    // A process may still be writing what comes before the record. The entry does not say since when: the sweep renews it.
    if (since > now() - orphanMs) {
      this.#missing.set(runId, since);
      return true;
    }
    this.#missing.delete(runId);
    const input = await inputKeys(storage, runId);
    const places = await findPlaces(storage, runId, readOpenRun(value, runId));
    // A process that accepts the run now has changed the entry, and its pieces and places have other keys. The entry goes last:
    // if this process dies before that, another one goes on.
    const claimed = { ...readOpenRun(value, runId), submittedAt: now() };
    if (!(await storage.compareAndSet(runNamespaces.open, key, value, claimed))) return true;
    for (const piece of input) await storage.delete(runNamespaces.input, piece);
    await removeLog(runId);
    for (const place of places) await storage.delete(runNamespaces.byOwner, place);
    if (!(await storage.compareAndSet(runNamespaces.open, key, claimed, null))) return true;
    // One that has accepted it meanwhile has found the entry there.
    if ((await storage.get(runNamespaces.runs, key)) !== null)
      await storage.compareAndSet(runNamespaces.open, key, null, claimed);
    return true;
  }
}

/**
 * Finds the places of a run without a record: those that its entry tells, and, if it has a user, those of others that have begun
 * to accept it.
 */
async function findPlaces(storage: RunStorage, runId: string, open: OpenRun): Promise<string[]> {
  const caller = callerOfOpen(open);
  const found = caller.kind === "anonymous" ? [byKeys.ofAnonymous(caller, runId)] : [];
  found.unshift(...inSession(open, runId, open));
  const range = { namespace: runNamespaces.byOwner, prefix: byKeys.group(open.owner, "open"), pageSize };
  for await (const page of scan(storage, range)) {
    for (const { key, value } of page) {
      // The place in the session first: it is found by this entry.
      if (runIdOf(key) === runId) found.push(...inSession(open, runId, value as Partial<OpenRun>), key);
    }
  }
  return found;
}

/** Returns the place of a run in the list of its session, as far as it is known. */
function inSession(
  { owner }: OpenRun,
  runId: string,
  { createdAt, sessionId }: Pick<OpenRun, "createdAt" | "sessionId">,
): string[] {
  if (createdAt === undefined || sessionId === undefined) return [];
  return [byKeys.inSession(`${owner}/${encodeKey(sessionId)}`, { createdAt, runId })];
}
