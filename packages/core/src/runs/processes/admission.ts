import { CallerHoldings } from "../../sessions/session/caller-holdings.ts";
import { CallerShares, shareRefused } from "../../sessions/session/caller-shares.ts";
import type { HeldShare } from "../../sessions/session/caller-shares.ts";
import { anonymousCaller } from "../../sessions/session/counted-caller.ts";
import type { CountedCaller } from "../../sessions/session/counted-caller.ts";
import { byKeys, groupKeys, runIdOf } from "../record/run-keys.ts";
import { callerOfOpen } from "../record/open-runs.ts";
import type { OpenRun } from "../record/open-runs.ts";
import type { RunRecord } from "../record/run-record.ts";
import { mapBounded } from "../../base/async/map-bounded.ts";
import { withTimeout } from "../../base/async/with-timeout.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { runNamespaces } from "../../agents/journal/log-entry.ts";
import type { RunEngine } from "./run-engine.ts";
import type { Logger } from "../../base/log/logger.ts";
import { isOver } from "../record/find-runs.ts";
import type { RunStore } from "../record/run-store.ts";
import type { StorageEntry } from "../../sessions/storage/storage-driver.ts";

/**
 * Limits on accepted runs: the number of waiting runs, the open runs of each caller, and the input bytes of all callers
 * without a user.
 */
export type AdmissionLimits = {
  readonly maxQueued: number;
  readonly perCaller: number;
  readonly maxAnonymousBytes: number;
};

/** The open runs that callers hold, and the bytes of their inputs if these are counted. */
export type HeldRuns = { readonly runs: HeldShare; readonly bytes: HeldShare };

/** The share of the input bytes of all callers without a user that one address may use. */
const partOfOne = 1 / 4;

/**
 * Counts the open runs of each caller: the runs that this process accepted or suspended, and the runs that the last
 * periodic sweep found.
 */
export class Admission {
  readonly #rules: AdmissionRules;
  #open = new CallerHoldings();
  #bytes = new CallerHoldings();
  /** Open runs that wait for an answer. The runs of users are missing in the list that the sweep reads. */
  readonly #waiting = new Map<string, CountedCaller>();

  constructor(limits: AdmissionLimits) {
    this.#rules = new AdmissionRules(limits);
  }

  /**
   * Returns the number of open runs by which a caller's priority is lowered. Throws `rate_limited` if another run would
   * exceed a limit.
   */
  check(caller: CountedCaller, queued: number): number {
    const runs = this.#open.of(caller);
    this.#rules.checkOpen(caller, { runs, bytes: this.#bytes.of(caller) });
    this.#rules.checkQueued(caller, queued - this.#open.of(anonymousCaller()).together);
    return this.#rules.openOf(caller, runs);
  }

  add({ runId, inputBytes = 0 }: Pick<RunRecord, "runId" | "inputBytes">, caller: CountedCaller): void {
    this.#open.set(runId, caller);
    if (inputBytes > 0) this.#bytes.set(runId, caller, inputBytes);
  }

  /** Notes that a run waits for an answer. */
  wait(runId: string, caller: CountedCaller): void {
    this.#waiting.set(runId, caller);
  }

  remove(runId: string): void {
    this.#waiting.delete(runId);
    this.#open.delete(runId);
    this.#bytes.delete(runId);
  }

  /**
   * Recounts the open runs of each caller: the runs that the last sweep of the run store found, and the runs that wait
   * for an answer.
   */
  replace(found: readonly (OpenRun & { runId: string })[]): void {
    this.#open = new CallerHoldings();
    this.#bytes = new CallerHoldings();
    for (const run of found) this.add(run, callerOfOpen(run));
    for (const [runId, caller] of this.#waiting) this.#open.set(runId, caller);
  }
}

/**
 * The rules by which a run is accepted, given the counts of open runs. The checks throw `rate_limited` if another run
 * would exceed a limit.
 */
export class AdmissionRules {
  readonly #limits: AdmissionLimits;
  readonly #shares: CallerShares;
  readonly #byteShares: CallerShares;

  constructor(limits: AdmissionLimits) {
    const { maxAnonymousBytes: total } = limits;
    this.#limits = limits;
    this.#byteShares = new CallerShares({ total, perCaller: Math.ceil(total * partOfOne) });
    this.#shares = new CallerShares({ total: limits.maxQueued, perCaller: limits.perCaller });
  }

  /** Checks the open runs of a caller: a user's own runs, or the runs and bytes of all callers without a user. */
  checkOpen(caller: CountedCaller, { runs, bytes }: HeldRuns): void {
    const isAnonymous = caller.kind === "anonymous";
    // The open runs of all users together are limited only by the number of runs that wait to be performed.
    const full = this.#shares.fullOf(caller, { own: runs.own, together: isAnonymous ? runs.together : 0 });
    if (full !== undefined) throw shareRefused(full, "open runs");
    const fullBytes = this.#byteShares.fullOf(caller, isAnonymous ? bytes : { own: 0, together: 0 });
    if (fullBytes !== undefined) throw shareRefused(fullBytes, "bytes of inputs of open runs");
  }

  /**
   * Checks the number of runs that wait to be performed. Runs of callers without a user are excluded, because they have
   * their own limit.
   */
  checkQueued({ kind }: CountedCaller, queued: number): void {
    const { maxQueued } = this.#limits;
    if (kind === "anonymous" || queued < maxQueued) return;
    throw shareRefused({ whose: "users", limit: maxQueued }, "runs that wait to be performed");
  }

  /** Returns the number of open runs that lower a caller's priority. All callers without a user count as one caller. */
  openOf({ kind }: CountedCaller, { own, together }: HeldShare): number {
    if (kind === "host") return 0;
    // The open runs of callers without a user count up to the limit of one user, `perCaller`. Beyond it, they and users
    // at that limit are served in order of arrival.
    return kind === "user" ? own : Math.min(together, this.#limits.perCaller);
  }
}

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

/** Returns the check of a new run against the limits, by the counts of this process or of all processes. */
export function admissionOf(
  { admission, store, logger }: { admission: Admission | undefined; store: RunStore; logger: Logger | undefined },
  engine: RunEngine,
  limits: AdmissionLimits,
): (caller: CountedCaller, bytes?: number) => Promise<number> {
  if (admission !== undefined) return async (caller) => admission.check(caller, await engine.waiting());
  const onError = (error: unknown) =>
    logger?.warn("The engine cannot count the runs that wait: their number is not limited.", { error });
  const shared = new SharedAdmission({ limits, store, engine, onError });
  return async (caller, bytes) => await shared.check(caller, bytes);
}
