import { runNamespaces } from "../../agents/journal/log-entry.ts";
import { scan } from "../../sessions/session/scan.ts";
import { encodeKey } from "../../sessions/storage/encode-key.ts";
import { writeInOrder } from "../states/run-transitions.ts";
import { inputKeys } from "./run-input.ts";
import { byKeys, callerOfOpen, readOpenRun, runIdOf } from "./run-record.ts";
import type { OpenRun, RunStorage } from "./run-record.ts";

type OrphanRunsInit = { storage: RunStorage; now: () => number; removeLog: (runId: string) => Promise<void> };

const pageSize = 100;
/** Milliseconds after which no process can still be accepting a run whose record is missing. */
const orphanMs = 60_000;

/** Runs on the list of open runs that have no record: their processes crashed while accepting them. */
export class OrphanRuns {
  readonly #init: OrphanRunsInit;
  /** The time at which a run's record was first found missing, by run id. */
  readonly #missing = new Map<string, number>();

  constructor(init: OrphanRunsInit) {
    this.#init = init;
  }

  /**
   * Removes the remains of a run without a record, unless it may still be in acceptance. Returns false if there are no
   * remains.
   */
  async close(runId: string): Promise<boolean> {
    const { storage, now, removeLog } = this.#init;
    const key = encodeKey(runId);
    const value = await storage.get(runNamespaces.open, key);
    const since = this.#missing.get(runId) ?? now();
    if (value === null) {
      this.#missing.delete(runId);
      return false;
    }
    // A process may still be writing the data that precedes the record. The entry's time cannot show this, because the
    // sweep renews it.
    if (since > now() - orphanMs) {
      this.#missing.set(runId, since);
      return true;
    }
    this.#missing.delete(runId);
    const input = await inputKeys(storage, runId);
    const places = await findPlaces(storage, runId, readOpenRun(value, runId));
    // A process that now accepts the run has changed the entry, and its pieces and list entries have other keys.
    const claimed = { ...readOpenRun(value, runId), submittedAt: now() };
    await writeInOrder("dropOrphan", {
      claim: () => storage.compareAndSet(runNamespaces.open, key, value, claimed),
      noInput: async () => {
        for (const piece of input) await storage.delete(runNamespaces.input, piece);
      },
      log: () => removeLog(runId),
      unplaced: async () => {
        for (const place of places) await storage.delete(runNamespaces.byOwner, place);
      },
      unlisted: async () => {
        if (!(await storage.compareAndSet(runNamespaces.open, key, claimed, null))) return;
        // A process that accepted the run meanwhile has relied on the entry in the list of open runs: it is put back.
        if ((await storage.get(runNamespaces.runs, key)) !== null)
          await storage.compareAndSet(runNamespaces.open, key, null, claimed);
      },
    });
    return true;
  }
}

/**
 * Finds the list entries of a run without a record. They are implied by its open entry and, if it has a user, by those
 * of other processes that began to accept it.
 */
async function findPlaces(storage: RunStorage, runId: string, open: OpenRun): Promise<string[]> {
  const caller = callerOfOpen(open);
  const found = caller.kind === "anonymous" ? [byKeys.ofAnonymous(caller, runId)] : [];
  found.unshift(...inSession(open, runId, open));
  const range = { namespace: runNamespaces.byOwner, prefix: byKeys.group(open.owner, "open"), pageSize };
  for await (const page of scan(storage, range)) {
    for (const { key, value } of page) {
      // The run's entry in its session's list comes first, because it is found through this one.
      if (runIdOf(key) === runId) found.push(...inSession(open, runId, value as Partial<OpenRun>), key);
    }
  }
  return found;
}

/** Returns the entry of a run in the list of its session, as far as it is known. */
function inSession(
  { owner }: OpenRun,
  runId: string,
  { createdAt, sessionId }: Pick<OpenRun, "createdAt" | "sessionId">,
): string[] {
  if (createdAt === undefined || sessionId === undefined) return [];
  return [byKeys.inSession(`${owner}/${encodeKey(sessionId)}`, { createdAt, runId })];
}
