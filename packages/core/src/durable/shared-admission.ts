import { mapBounded } from "../async/map-bounded.ts";
import { withTimeout } from "../async/with-timeout.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import { runNamespaces } from "../journal/log-entry.ts";
import type { SessionOwner } from "../session/session-owner.ts";
import { checkOpen, checkQueued } from "../attempts/admission.ts";
import type { AdmissionLimits } from "../attempts/admission.ts";
import type { RunEngine } from "../attempts/run-engine.ts";
import { isOver } from "../run-store/find-runs.ts";
import { byKeys, runIdOf } from "../run-store/run-record.ts";
import type { RunStore } from "../run-store/run-store.ts";

/** Milliseconds for which the number of waiting runs is not asked for again. */
const queuedMs = 1000;

/** Milliseconds to wait for that number. */
const queuedTimeoutMs = 1000;

type SharedAdmissionInit = {
  limits: AdmissionLimits;
  store: RunStore;
  engine: RunEngine;
  /** Receives the first failure of the engine in a row: while it lasts the number of waiting runs is not limited. */
  onError: (error: unknown) => void;
};

/**
 * Counts the open runs of each caller where other processes accept runs too: by the list of open runs in the storage, with
 * one request for each run of a user. Runs that are accepted at the same moment may exceed a limit by a few.
 */
export class SharedAdmission {
  readonly #init: SharedAdmissionInit;
  #queued: Promise<number> | undefined;
  #queuedAtMs = -Infinity;
  #isLossTold = false;

  constructor(init: SharedAdmissionInit) {
    this.#init = init;
  }

  /** Returns the number of open runs of a caller. Rejects with `rate_limited` when one more is too many. */
  async check(owner: SessionOwner): Promise<number> {
    const { limits } = this.#init;
    checkQueued(limits, await this.#countQueued());
    // All callers without a user are one owner.
    if (owner.userId === undefined) return 0;
    const keys = await this.#listOpen(owner);
    const open = keys.length < limits.perCaller ? keys.length : await this.#countOpen(keys);
    checkOpen(limits, open);
    return open;
  }

  /** Returns the number of waiting runs, which is a second old at most. */
  async #countQueued(): Promise<number> {
    const now = performance.now();
    if (this.#queued === undefined || now - this.#queuedAtMs >= queuedMs) {
      this.#queuedAtMs = now;
      this.#queued = this.#askEngine();
    }
    return await this.#queued;
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

  async #listOpen(owner: SessionOwner): Promise<string[]> {
    const { store, limits } = this.#init;
    const prefix = byKeys.openOf(owner);
    // More than may be open: some have just ended.
    const limit = 2 * limits.perCaller;
    const listed = await store.storage.list(runNamespaces.byOwner, prefix, { limit });
    return listed.slice(0, limit).map(({ key }) => key);
  }

  /** Counts the runs on a full list that are open indeed: those that have just ended are taken off it a moment later. */
  async #countOpen(keys: readonly string[]): Promise<number> {
    const { store } = this.#init;
    const areOpen = await mapBounded(keys, async (key) => {
      const record = await store.read(decodeURIComponent(runIdOf(key)));
      // One without a record is being accepted, or the sweep takes it off.
      return record === null || !(await isOver(store, record));
    });
    return areOpen.filter(Boolean).length;
  }
}

function tooSlow(): never {
  throw new TroupeError("timeout", `The engine did not answer within ${queuedTimeoutMs} ms.`);
}
