import { runNamespaces } from "../../agents/journal/log-entry.ts";
import { mapBounded } from "../../base/async/map-bounded.ts";
import { withTimeout } from "../../base/async/with-timeout.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { HeldShare } from "../../sessions/session/caller-shares.ts";
import type { CountedCaller } from "../../sessions/session/counted-caller.ts";
import type { StorageEntry } from "../../sessions/storage/storage-driver.ts";
import { isOver } from "../record/find-runs.ts";
import { byKeys, groupKeys, runIdOf } from "../record/run-keys.ts";
import type { RunRecord } from "../record/run-record.ts";
import type { RunStore } from "../record/run-store.ts";
import { AdmissionRules } from "./admission-rules.ts";
import type { AdmissionLimits, HeldRuns } from "./admission-rules.ts";
import type { RunEngine } from "./run-engine.ts";

/** Milliseconds for which a count over all callers is cached. */
const knownMs = 1000;

/** Milliseconds to wait until the engine reports the number of waiting runs. */
const queuedTimeoutMs = 1000;

/** An open run of a caller without a user: its key in the list of such runs, and the bytes of its input. */
type OpenPlace = { readonly key: string; readonly bytes: number };

const none: HeldShare = { own: 0, together: 0 };

type SharedAdmissionInit = {
  limits: AdmissionLimits;
  store: RunStore;
  engine: RunEngine;
  /**
   * Receives the first failure of the engine in a row of failures. During such failures the number of waiting runs is
   * not limited.
   */
  onError: (error: unknown) => void;
};

/**
 * Counts the open runs of each caller if several processes accept runs. It reads the list of open runs in the storage.
 * This takes one request for each new run of a user, and one a second for all callers without a user. Runs accepted at
 * the same moment may exceed a limit by a few.
 */
export class SharedAdmission {
  readonly #init: SharedAdmissionInit;
  readonly #rules: AdmissionRules;
  readonly #queued = new KnownForAWhile<number>(async () => await this.#askEngine());
  /** The open runs of callers without a user, including runs that this process has accepted since the list was read. */
  readonly #anonymous = new KnownForAWhile<OpenPlace[]>(async () => {
    return (await this.#list(byKeys.anonymous, this.#init.limits.maxQueued)).map(toPlace);
  });
  #isLossTold = false;

  constructor(init: SharedAdmissionInit) {
    this.#init = init;
    this.#rules = new AdmissionRules(init.limits);
  }

  /**
   * Returns the number of open runs by which a caller's priority is lowered. Rejects with `rate_limited` if another run
   * would exceed a limit.
   *
   * @param bytes the bytes of the run to be accepted, if they are counted
   */
  async check(caller: CountedCaller, bytes = 0): Promise<number> {
    const held = await this.#heldBy(caller);
    this.#rules.checkOpen(caller, held);
    if (caller.kind !== "anonymous") await this.#checkQueued(caller);
    else (await this.#anonymous.get()).push({ key: byKeys.openOf(caller), bytes });
    return this.#rules.openOf(caller, held.runs);
  }

  async #heldBy(caller: CountedCaller): Promise<HeldRuns> {
    if (caller.kind === "host") return { runs: none, bytes: none };
    if (caller.kind === "user") return { runs: { own: await this.#countOpenOf(caller), together: 0 }, bytes: none };
    const places = await this.#anonymous.get();
    const prefix = byKeys.openOf(caller);
    const own = places.filter(({ key }) => key.startsWith(prefix));
    return {
      runs: { own: own.length, together: places.length },
      bytes: { own: bytesOf(own), together: bytesOf(places) },
    };
  }

  async #checkQueued(caller: CountedCaller): Promise<void> {
    const queued = await this.#queued.get();
    // The number of runs of callers without a user is only requested if the total exceeds the limit.
    const isMany = queued >= this.#init.limits.maxQueued;
    this.#rules.checkQueued(caller, isMany ? queued - (await this.#anonymous.get()).length : queued);
  }

  /**
   * Asks the engine for the number of waiting runs. Never rejects, because the storage accepts a run even while the
   * engine is unavailable.
   */
  async #askEngine(): Promise<number> {
    const { engine, onError } = this.#init;
    try {
      const queued = await withTimeout(engine.waiting(), { timeoutMs: queuedTimeoutMs, onTimeout: tooSlow });
      this.#isLossTold = false;
      return queued;
    } catch (error) {
      if (!this.#isLossTold) onError(error);
      this.#isLossTold = true;
      return 0;
    }
  }

  async #countOpenOf(caller: CountedCaller): Promise<number> {
    const { perCaller } = this.#init.limits;
    const listed = await this.#list(byKeys.openOf(caller), perCaller);
    return listed.length < perCaller ? listed.length : await this.#countOpen(listed.map(({ key }) => key));
  }

  /** Lists more entries than the limit of open runs, because some have just ended. */
  async #list(prefix: string, most: number): Promise<StorageEntry[]> {
    const limit = 2 * most;
    const listed = await this.#init.store.storage.list(runNamespaces.byOwner, prefix, { limit });
    return listed.slice(0, limit);
  }

  /** Counts the runs on a full list that are really open: runs that have just ended leave the list a moment later. */
  async #countOpen(keys: readonly string[]): Promise<number> {
    const { store } = this.#init;
    const areOpen = await mapBounded(keys, async (key) => {
      const record = await store.read(runIdOf(key));
      // A run without a record is being accepted, or a process crashed while it accepted or removed the run.
      if (record === null) return !(await store.lists.dropEntry(key));
      // A process that crashed while it accepted a run already accepted by another process has listed the run twice.
      return key === groupKeys(record, ["open"])[0] && !(await isOver(store, record));
    });
    return areOpen.filter(Boolean).length;
  }
}

function toPlace({ key, value }: StorageEntry): OpenPlace {
  const { inputBytes = 0 } = value as Partial<RunRecord>;
  return { key, bytes: inputBytes };
}

function bytesOf(places: readonly OpenPlace[]): number {
  return places.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** A value that is requested at most once a second. After a failure it is requested again. */
class KnownForAWhile<Value> {
  readonly #ask: () => Promise<Value>;
  #known: Promise<Value> | undefined;
  #askedAtMs = -Infinity;

  constructor(ask: () => Promise<Value>) {
    this.#ask = ask;
  }

  async get(): Promise<Value> {
    const now = performance.now();
    if (this.#known === undefined || now - this.#askedAtMs >= knownMs) {
      this.#askedAtMs = now;
      this.#known = this.#ask();
    }
    const known = this.#known;
    return await known.catch((error: unknown) => {
      if (this.#known === known) this.#known = undefined;
      throw error;
    });
  }
}

function tooSlow(): never {
  throw new TroupeError("timeout", `The engine did not answer within ${queuedTimeoutMs} ms.`);
}
