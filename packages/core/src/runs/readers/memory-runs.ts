import type { RunStore } from "../record/run-store.ts";
import type { LocalRunOptions } from "../record/run-view.ts";
import { CallerHoldings } from "../../sessions/session/caller-holdings.ts";
import { CallerShares, shareRefused } from "../../sessions/session/caller-shares.ts";
import type { FullShare } from "../../sessions/session/caller-shares.ts";
import type { CallerKey, CountedCaller } from "../../sessions/session/counted-caller.ts";
import { sizeInBytes } from "../../base/util/size-in-bytes.ts";
import { runNamespaces } from "../../agents/journal/log-entry.ts";
import type { LogRecord } from "../../agents/journal/log-entry.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { toEvents } from "./run-feed.ts";
import type { CutRecord } from "./run-feed.ts";

type MemoryRunsInit = {
  readonly maxEnded: number;
  readonly maxBytes: number;
  readonly storage: EphemeralRunStorage;
  readonly store: RunStore;
};

/** The approximate bytes of a run's entries in three lists: of its owner, of its session and of all runs. */
const placesBytes = 2048;
/** The share of the bytes of all users' runs that one user may have. */
const partOfOne = 1 / 4;

type KnownRun = { readonly caller: CountedCaller; localBytes: number };

/**
 * The runs of a service without a storage, limited in number and bytes by shares of their callers. Beyond a limit, the
 * oldest ended runs are removed: first the runs of the same caller, or of the caller that holds most (among users for a
 * user's run, among callers without a user for theirs). An open run is never removed.
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

  /** Counts an accepted run, including the values that the process holds beside the run's record. */
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
   * Removes ended runs, except the run `kept`, while a caller's share of bytes is full. Returns the share that is still
   * full; undefined if there is room.
   */
  #trim(caller: CountedCaller, kept?: string): FullShare | undefined {
    for (;;) {
      const full = this.#byteShares.fullOf(caller, this.#bytes.of(caller));
      if (full === undefined) return undefined;
      const isOwn = full.whose === "user" || full.whose === "address";
      if (!this.#dropOldest(isOwn ? caller : this.#largest(caller, this.#bytes), kept)) return full;
    }
  }

  /**
   * Returns the caller with most stored runs or bytes among the callers with ended runs: among users for a user, else
   * among anonymous callers.
   */
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

  /** Removes a run from the storage. Never rejects: a storage in memory fails only after it was closed. */
  async #remove(runId: string): Promise<void> {
    const { store } = this.#init;
    const record = await store.read(runId).catch(() => null);
    if (record !== null) await store.lists.remove(record).catch(() => undefined);
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

/** Namespaces whose keys begin with the id of a run, and whose values may be long. */
const countedNamespaces: readonly string[] = [
  runNamespaces.runs,
  runNamespaces.input,
  runNamespaces.log,
  runNamespaces.inbox,
  runNamespaces.deliveries,
];

type KeptLog = { length: number; readonly whole: { readonly key: string; readonly length: number }[] };

/**
 * Storage in memory for runs that end with their process. A run's log keeps its newest chunks, up to a length, and
 * everything that another attempt needs.
 */
export class EphemeralRunStorage extends InMemoryStorage {
  readonly #maxLength: number;
  /** By run: the length of the run's log as JSON, and the log records that still have their chunks. */
  readonly #logs = new Map<string, KeptLog>();
  /** The stored bytes of each run. */
  readonly #bytes = new Map<string, number>();
  /** Receives each change of the bytes of a run. @default changes are ignored */
  onBytes: (runId: string, change: number) => void = () => {};

  constructor(maxLength: number) {
    super();
    this.#maxLength = maxLength;
  }

  /** Returns the bytes of a run's record, input, log, answers and deliveries. */
  bytesOf(runId: string): number {
    return this.#bytes.get(runId) ?? 0;
  }

  protected override write(namespace: string, key: string, text: string | undefined): void {
    this.#countBytes(namespace, key, text);
    super.write(namespace, key, text);
    if (namespace !== runNamespaces.log) return;
    const runId = key.slice(0, key.indexOf("/"));
    if (text === undefined) this.#logs.delete(runId);
    else this.#keep(runId, key, text);
  }

  #countBytes(namespace: string, key: string, text = ""): void {
    if (!countedNamespaces.includes(namespace)) return;
    const [runId = ""] = key.split("/", 1);
    const change = Buffer.byteLength(text) - Buffer.byteLength(super.read(namespace, key) ?? "");
    const bytes = this.bytesOf(runId) + change;
    if (bytes > 0) this.#bytes.set(runId, bytes);
    else this.#bytes.delete(runId);
    this.onBytes(runId, change);
  }

  #keep(runId: string, key: string, text: string): void {
    const log = this.#logs.get(runId) ?? { length: 0, whole: [] };
    this.#logs.set(runId, log);
    log.length += text.length;
    log.whole.push({ key, length: text.length });
    // The newest record of a run's log stays complete, however long it is.
    while (log.length > this.#maxLength && log.whole.length > 1) {
      const oldest = log.whole.shift();
      if (oldest !== undefined) log.length += this.#cut(oldest.key) - oldest.length;
    }
  }

  /** Removes the chunks of one record of a run's log, and returns the length of the rest of the record. */
  #cut(key: string): number {
    const record = JSON.parse(super.read(runNamespaces.log, key) ?? "null") as LogRecord | null;
    if (record === null) return 0;
    const entries = record.entries.filter(({ t }) => t !== "chunks");
    const cut: CutRecord = { v: 1, entries, cutFrom: toEvents({ number: 1, record }).events.length };
    const text = JSON.stringify(cut);
    this.#countBytes(runNamespaces.log, key, text);
    super.write(runNamespaces.log, key, text);
    return text.length;
  }
}
