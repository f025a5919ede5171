import { mapBounded } from "../../base/async/map-bounded.ts";
import { withTimeout } from "../../base/async/with-timeout.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { runNamespaces } from "../../agents/journal/log-entry.ts";
import type { HeldShare } from "../../sessions/session/caller-shares.ts";
import type { CountedCaller } from "../../sessions/session/counted-caller.ts";
import { AdmissionRules } from "../attempts/admission.ts";
import type { AdmissionLimits, HeldRuns } from "../attempts/admission.ts";
import type { RunEngine } from "../attempts/run-engine.ts";
import { isOver } from "../run-store/find-runs.ts";
import { byKeys, groupKeys, runIdOf } from "../run-store/run-record.ts";
import type { RunRecord } from "../run-store/run-record.ts";
import type { RunStore } from "../run-store/run-store.ts";
import type { StorageEntry } from "../../sessions/storage/storage-driver.ts";

/** Milliseconds for which a number that concerns all callers is not asked for again. */
const knownMs = 1000;

/** Milliseconds to wait for that number. */
const queuedTimeoutMs = 1000;

/** An open run of a caller without a user: a key that begins with its caller's place, and the bytes of its input. */
type OpenPlace = { readonly key: string; readonly bytes: number };

const none: HeldShare = { own: 0, together: 0 };

type SharedAdmissionInit = {
  limits: AdmissionLimits;
  store: RunStore;
  engine: RunEngine;
  /** Receives the first failure of the engine in a row: while it lasts the number of waiting runs is not limited. */
  onError: (error: unknown) => void;
};

/**
 * Counts the open runs of each caller where other processes accept runs too: by the list of open runs in the storage, with
 * one request for each run of a user, and one a second for those of all callers without a user. Runs that are accepted at the
 * same moment may exceed a limit by a few.
 */
export class SharedAdmission {
  readonly #init: SharedAdmissionInit;
  readonly #rules: AdmissionRules;
  readonly #queued = new KnownForAWhile<number>(async () => await this.#askEngine());
  /** The open runs of callers without a user. Those that this process has accepted since are added. */
  readonly #anonymous = new KnownForAWhile<OpenPlace[]>(async () => {
    return (await this.#list(byKeys.anonymous, this.#init.limits.maxQueued)).map(toPlace);
  });
  #isLossTold = false;

  constructor(init: SharedAdmissionInit) {
    this.#init = init;
    this.#rules = new AdmissionRules(init.limits);
  }

  /**
   * Returns the number of open runs of a caller. Rejects with `rate_limited` when one more is too many.
   *
   * @param bytes those of the run that is going to be accepted, where they are counted
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
    // Only then is it asked how many of them are those of callers without a user.
    const isMany = queued >= this.#init.limits.maxQueued;
    this.#rules.checkQueued(caller, isMany ? queued - (await this.#anonymous.get()).length : queued);
  }

  /** Never rejects: the storage keeps a run also while the engine is away. */
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

  /** Lists more entries than may be open: some have just ended. */
  async #list(prefix: string, most: number): Promise<StorageEntry[]> {
    const limit = 2 * most;
    const listed = await this.#init.store.storage.list(runNamespaces.byOwner, prefix, { limit });
    return listed.slice(0, limit);
  }

  /** Counts the runs on a full list that are open indeed: those that have just ended are taken off it a moment later. */
  async #countOpen(keys: readonly string[]): Promise<number> {
    const { store } = this.#init;
    const areOpen = await mapBounded(keys, async (key) => {
      const record = await store.read(runIdOf(key));
      // One without a record is being accepted, or a process died while it accepted or removed it.
      if (record === null) return !(await store.dropEntry(key));
      // A process that died while it accepted a run that another one had accepted has listed it a second time.
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

/** A value that is asked for at most once a second. One that could not be had is asked for again. */
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
