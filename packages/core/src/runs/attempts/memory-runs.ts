import type { EphemeralRunStorage } from "../run-events/ephemeral-run-storage.ts";
import type { RunStore } from "../run-store/run-store.ts";
import type { LocalRunOptions } from "../run-store/run-view.ts";
import { CallerHoldings } from "../../sessions/session/caller-holdings.ts";
import { CallerShares, shareRefused } from "../../sessions/session/caller-shares.ts";
import type { FullShare } from "../../sessions/session/caller-shares.ts";
import type { CallerKey, CountedCaller } from "../../sessions/session/counted-caller.ts";
import { sizeInBytes } from "../../base/util/size-in-bytes.ts";

type MemoryRunsInit = {
  readonly maxEnded: number;
  readonly maxBytes: number;
  readonly storage: EphemeralRunStorage;
  readonly store: RunStore;
};

/** The approximate bytes of a run's entries in lists. */
const placesBytes = 2048;
/** The share of the bytes of all users' runs that one user may have. */
const partOfOne = 1 / 4;

type KnownRun = { readonly caller: CountedCaller; localBytes: number };

/**
 * The runs of a service without a storage, limited in number and bytes by shares of their callers. Beyond a limit, the
 * oldest ended runs are removed: those of the same caller, or of the caller of its kind that holds most. An open run is
 * never removed.
 */
export class MemoryRuns {
  readonly #init: MemoryRunsInit;
  readonly #byteShares: CallerShares;
  readonly #endedShares: CallerShares;
  readonly #bytes = new CallerHoldings();
  readonly #known = new Map<string, KnownRun>();
  /** The ended runs of each caller, oldest first. */
  readonly #ended = new Map<CallerKey, { readonly caller: CountedCaller; readonly runIds: Set<string> }>();
  readonly #endedCounts = new CallerHoldings();

  constructor(init: MemoryRunsInit) {
    const { maxBytes, maxEnded, storage } = init;
    this.#init = init;
    this.#byteShares = new CallerShares({ total: maxBytes, perCaller: Math.ceil(maxBytes * partOfOne) });
    this.#endedShares = new CallerShares({ total: maxEnded, perCaller: maxEnded });
    storage.onBytes = (runId, change) => {
      this.#bytes.grow(runId, change);
      if (storage.bytesOf(runId) === 0) this.#forget(runId);
    };
  }

  /** Makes room for a caller's new run by removing ended runs. Throws `rate_limited` if open runs leave no room. */
  check(caller: CountedCaller): void {
    const full = this.#trim(caller);
    if (full !== undefined) throw shareRefused(full, "bytes of open runs in memory");
  }

  /** Counts an accepted run, including the values that it holds beside its record. */
  add(runId: string, caller: CountedCaller, { input, messages, metadata }: LocalRunOptions = {}): void {
    const localBytes = sizeInBytes([input, messages, metadata]);
    this.#known.set(runId, { caller, localBytes });
    this.#bytes.set(runId, caller, this.#init.storage.bytesOf(runId) + localBytes + placesBytes);
  }

  /** Notes that a run has ended, and removes older ended runs beyond the limits. */
  end(runId: string): void {
    const run = this.#known.get(runId);
    if (run === undefined) return;
    const { caller } = run;
    this.#bytes.grow(runId, -run.localBytes);
    run.localBytes = 0;
    const ended = this.#ended.get(caller.key) ?? { caller, runIds: new Set() };
    this.#ended.set(caller.key, ended);
    ended.runIds.add(runId);
    this.#endedCounts.set(runId, caller);
    const most = this.#endedShares.totalOf(caller);
    while (this.#endedCounts.of(caller).together > most && this.#dropOldest(this.#largest(caller, this.#endedCounts)));
    this.#trim(caller, runId);
  }

  /**
   * Removes ended runs, except one, while a caller's share of bytes is full. Returns the share that is still full;
   * undefined if there is room.
   */
  #trim(caller: CountedCaller, kept?: string): FullShare | undefined {
    for (;;) {
      const full = this.#byteShares.fullOf(caller, this.#bytes.of(caller));
      if (full === undefined) return undefined;
      const isOwn = full.whose === "user" || full.whose === "address";
      if (!this.#dropOldest(isOwn ? caller : this.#largest(caller, this.#bytes), kept)) return full;
    }
  }

  /** Returns the caller that holds most, among callers of the same kind with ended runs. */
  #largest({ kind }: CountedCaller, holdings: CallerHoldings): CountedCaller | undefined {
    const callers = [...this.#ended.values()].flatMap(({ caller }) => (caller.kind === kind ? [caller] : []));
    const sizes = callers.map((caller) => holdings.of(caller).own);
    return callers[sizes.indexOf(Math.max(...sizes))];
  }

  #dropOldest(caller: CountedCaller | undefined, kept?: string): boolean {
    const [oldest] = (caller && this.#ended.get(caller.key)?.runIds) ?? [];
    if (oldest === undefined || oldest === kept) return false;
    // The removed run is no longer counted from now on, although the storage removes it a moment later.
    this.#forget(oldest);
    void this.#remove(oldest);
    return true;
  }

  /** Removes a run from the storage. Never rejects: the storage is in memory and at most already closed. */
  async #remove(runId: string): Promise<void> {
    const { store } = this.#init;
    const record = await store.read(runId).catch(() => null);
    if (record !== null) await store.remove(record).catch(() => undefined);
  }

  #forget(runId: string): void {
    const run = this.#known.get(runId);
    if (run === undefined) return;
    this.#known.delete(runId);
    this.#bytes.delete(runId);
    this.#endedCounts.delete(runId);
    const ended = this.#ended.get(run.caller.key);
    ended?.runIds.delete(runId);
    if (ended?.runIds.size === 0) this.#ended.delete(run.caller.key);
  }
}
