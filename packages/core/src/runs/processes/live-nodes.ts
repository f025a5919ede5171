import { runNamespaces } from "../../agents/journal/log-entry.ts";
import { ObservedCounters } from "../../sessions/lock/liveness.ts";
import { scan } from "../../sessions/session/scan.ts";
import { encodeKey } from "../../sessions/storage/encode-key.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { registryEntries } from "../../agents/run/registry.ts";
import { isArrayOf, isCount } from "../../sessions/storage/stored-record.ts";
import { isRecord } from "../../base/util/is-record.ts";
import type { Registries } from "./run-service-options.ts";
import type { KeyVault } from "../record/key-vault.ts";
import { findMissing, hashOf } from "../record/plan-print.ts";
import type { PlanPrint, PlanPrinter, PlanUse } from "../record/plan-print.ts";
import type { RunRecord } from "../record/run-record.ts";
import type { RunKind } from "../record/run-view.ts";

/** Milliseconds without a heartbeat after which a process has expired, by the clock of the observing process. */
const expiresAfterMs = 30_000;
/** Milliseconds between two heartbeats of a process that performs runs. */
const heartbeatMs = 10_000;
/** Milliseconds for which the records of other processes are cached. */
const lookPauseMs = 250;

type Init = {
  readonly storage: StorageDriver;
  /** An id that is unique to this process. */
  readonly id: string;
  readonly name: string;
  /**
   * True if no other process uses the storage at the same time: all other records in it are of processes that have
   * ended.
   */
  readonly isAlone: boolean;
  /** Returns the runnables whose runs this process currently performs. */
  readonly describe: () => ServedPlans;
  /** Receives failures of heartbeats, which are retried, and of the withdrawal by `retire`, which is not. */
  readonly onError: (error: unknown) => void;
};

/**
 * The processes that perform runs. Each has a record that it changes periodically. A process has expired if its record
 * is gone or has stayed unchanged for too long. Clocks of different processes are never compared. A process that performs
 * no runs has no record.
 */
export class LiveNodes {
  readonly id: string;
  readonly #init: Init;
  readonly #heartbeatsSeen = new ObservedCounters();
  /** The records of all processes when they were last read. A damaged record is undefined. */
  #records: ReadonlyMap<string, NodeRecord | undefined> = new Map();
  #isAlone: boolean;
  #heartbeats = 0;
  #isPerforming = false;
  #isStored = false;
  #timer: NodeJS.Timeout | undefined;
  #lookedAt = -Infinity;
  #looking: Promise<void> | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(init: Init) {
    this.#init = init;
    this.id = init.id;
    this.#isAlone = init.isAlone;
  }

  /**
   * Publishes this process as a performer of runs, with fingerprints of its runnables' tools and steps, until `retire`
   * is called. The timer does not keep the process alive. Never rejects: a failed write is repeated by a later
   * heartbeat.
   */
  async perform(): Promise<void> {
    this.#isPerforming = true;
    clearInterval(this.#timer);
    this.#timer = setInterval(() => void this.#sendHeartbeat(), heartbeatMs).unref();
    await this.#sendHeartbeat();
  }

  /** Withdraws this process as a performer. Never rejects: if the storage fails, the process expires soon. */
  async retire(): Promise<void> {
    if (!this.#isPerforming) return;
    this.#isPerforming = false;
    clearInterval(this.#timer);
    await this.#save().catch(this.#init.onError);
  }

  /**
   * Returns true if `test` accepts the runnables of some other live process that performs runs. Always false if this
   * process has the storage to itself.
   */
  async someOther(test: (served: ServedPlans) => boolean): Promise<boolean> {
    if (this.#init.isAlone) return false;
    if (performance.now() - this.#lookedAt < lookPauseMs && this.#hasOther(test)) return true;
    await this.#look();
    return this.#hasOther(test);
  }

  /** Removes the records of expired processes. */
  async #forget(): Promise<void> {
    for (const id of this.#records.keys()) {
      if (id !== this.id && !this.#isLive(id)) await this.#init.storage.delete(runNamespaces.nodes, encodeKey(id));
    }
  }

  #hasOther(test: (served: ServedPlans) => boolean): boolean {
    return [...this.#records].some(([id, record]) => {
      const served = record?.serves;
      return id !== this.id && served !== undefined && this.#isLive(id) && test(served);
    });
  }

  #isLive(id: string): boolean {
    return this.#heartbeatsSeen.stillMs(id, performance.now()) < expiresAfterMs;
  }

  async #sendHeartbeat(): Promise<void> {
    try {
      await this.#save();
      await this.#look();
      await this.#forget();
    } catch (error) {
      this.#init.onError(error);
    }
  }

  async #look(): Promise<void> {
    this.#looking ??= this.#lookNow().finally(() => (this.#looking = undefined));
    await this.#looking;
  }

  async #lookNow(): Promise<void> {
    const now = performance.now();
    const there = await this.#readAll();
    // After a pause, earlier observations of other processes are stale.
    if (now - this.#lookedAt > expiresAfterMs) this.#heartbeatsSeen.clear();
    const heartbeats = Array.from(there, ([id, record]) => [id, record?.heartbeat] as const);
    // A process that has the storage to itself finds only records of processes that have ended.
    this.#heartbeatsSeen.observe(heartbeats, this.#isAlone ? -Infinity : now);
    this.#records = there;
    this.#isAlone = false;
    this.#lookedAt = now;
  }

  /** Reads the records of all processes. A damaged record becomes undefined. */
  async #readAll(): Promise<Map<string, NodeRecord | undefined>> {
    const found = new Map<string, NodeRecord | undefined>();
    for await (const page of scan(this.#init.storage, { namespace: runNamespaces.nodes, prefix: "" })) {
      for (const { key, value } of page) found.set(decodeURIComponent(key), isNodeRecord(value) ? value : undefined);
    }
    return found;
  }

  /**
   * Updates the stored record of this process. One write at a time, because a late write would restore a removed
   * record.
   */
  async #save(): Promise<void> {
    const saved = this.#saving.then(async () => await this.#saveNow());
    this.#saving = saved.catch(() => undefined);
    await saved;
  }

  async #saveNow(): Promise<void> {
    const { storage, name, describe } = this.#init;
    const key = encodeKey(this.id);
    if (!this.#isPerforming) {
      if (this.#isStored) await storage.delete(runNamespaces.nodes, key);
      this.#isStored = false;
      return;
    }
    this.#heartbeats += 1;
    this.#isStored = true;
    const record: NodeRecord = { v: 1, heartbeat: this.#heartbeats, name, serves: describe() };
    await storage.set(runNamespaces.nodes, key, record);
  }
}

/** A runnable whose runs a process performs. */
type ServedPlan = { readonly kind: RunKind; readonly name: string; readonly plan: PlanPrint };

/**
 * The runnables of a process with fingerprints of their tools and steps, and the ids of its seal keys: everything that
 * its runs depend on.
 */
export type ServedPlans = { readonly plans: readonly ServedPlan[]; readonly sealIds: readonly string[] };

/** The stored record of a process that performs runs. It changes with each heartbeat. */
export type NodeRecord = {
  readonly v: 1;
  readonly heartbeat: number;
  /** The name of the process that the `RunView` of a run shows, for the operator who reads the record. */
  readonly name: string;
  /** The runnables whose runs the process performs. */
  readonly serves: ServedPlans;
};

/** Describes the runnables and keys with which a process performs runs. */
export function describeServed(parts: { registries: Registries; printer: PlanPrinter; vault: KeyVault }): ServedPlans {
  const { registries, printer, vault } = parts;
  const { agents, teams, workflows } = registries;
  const plansOf = (kind: RunKind, entries: readonly [string, object][]): ServedPlan[] =>
    entries.map(([name, target]) => ({ kind, name, plan: printer.print(target) }));
  const plans = [
    ...plansOf("agent", registryEntries(agents)),
    ...plansOf("team", registryEntries(teams)),
    ...plansOf("workflow", registryEntries(workflows)),
  ];
  return { plans, sealIds: vault.sealIds };
}

/**
 * Returns true if a process can continue a run. It must have the runnable, the seal key with the id `sealId`, and the
 * tools and steps in `use`, unchanged.
 */
export function canServe(
  { plans, sealIds }: ServedPlans,
  { kind, name, plan }: Pick<RunRecord, "kind" | "name" | "plan">,
  { use, sealId }: { use: PlanUse; sealId: string | undefined },
): boolean {
  const served = plans.find((each) => each.kind === kind && each.name === name);
  if (served === undefined || (sealId !== undefined && !sealIds.includes(sealId))) return false;
  return hashOf(served.plan) === hashOf(plan) || findMissing(plan, served.plan, use).length === 0;
}

/** Returns true if a stored value is the record of a process. */
export function isNodeRecord(value: unknown): value is NodeRecord {
  return isRecord(value) && value["v"] === 1 && isCount(value["heartbeat"]) && isServed(value["serves"]);
}

function isServed(value: unknown): value is ServedPlans {
  if (!isRecord(value) || !isArrayOf(value["sealIds"], isString)) return false;
  return isArrayOf(value["plans"], isServedPlan);
}

function isServedPlan(value: unknown): value is ServedPlan {
  return isRecord(value) && isString(value["name"]) && isRecord(value["plan"]) && isRecord(value["plan"]["tools"]);
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}
