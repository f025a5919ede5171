import type { Journal } from "../../agents/journal/journal.ts";
import type { LogRecord } from "../../agents/journal/log-entry.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { readLastRecord } from "../../agents/journal/read-log.ts";
import { EventBus } from "../../base/events/event-bus.ts";
import type { NotedModelCall } from "../../agents/run/run-steps.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { ContinuedTelemetry, Telemetry } from "../../base/telemetry/telemetry.ts";
import { createId } from "../../base/util/create-id.ts";
import { Admission } from "./admission.ts";
import { DueRuns } from "./due-runs.ts";
import type { DurableTarget, StartedRun } from "./durable-target.ts";
import type { Registries, ServiceSettings } from "./run-service-options.ts";
import { KeyVault } from "../record/key-vault.ts";
import { LiveNodes, describeServed } from "./live-nodes.ts";
import { MemoryRuns, EphemeralRunStorage } from "../readers/memory-runs.ts";
import { PlanPrinter } from "../record/plan-print.ts";
import { isEnded, toView } from "../record/run-record.ts";
import type { RunRecord, RunStorage } from "../record/run-record.ts";
import { RunStore } from "../record/run-store.ts";
import { RunTails } from "../readers/run-tails.ts";
import type { LocalRunOptions, RunKeys, RunView } from "../record/run-view.ts";
import { LogWriter } from "../../agents/journal/log-writer.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { RunWebhooks } from "../webhooks/run-webhooks.ts";

/** Everything that an attempt needs beside the record of its run. */
export type Ready = {
  readonly target: DurableTarget;
  readonly keys: RunKeys;
  readonly plan: RunRecord["plan"];
  readonly print: string;
};

/**
 * A run that this process accepted in order to perform it immediately. Its first attempt was stored with it, as the
 * first record of its log. Another process that receives the run finds that attempt. The `Run` object that was built to
 * check the options before the run was accepted is used again for that attempt.
 */
export type BegunRun = Ready & {
  readonly record: RunRecord;
  readonly first: LogRecord;
  readonly journal: Journal;
  /** Cancels the run when it is aborted. */
  readonly controller: AbortController;
  readonly run: StartedRun;
  /** Records the first attempt, if the service records its runs. */
  readonly telemetry?: ContinuedTelemetry | undefined;
};

/** The model calls that this process makes for durable runs: `begin` for each call of an owner before it is made. */
type ModelCallNotes = { begin: NotedModelCall & { readonly owner: SessionOwner } };

/** All that the parts of a `RunService` share. */
export type ServiceParts = {
  readonly store: RunStore;
  readonly writer: LogWriter;
  readonly tails: RunTails;
  readonly vault: KeyVault;
  /**
   * Counts open runs. Undefined if other processes accept runs too: `SharedAdmission` then counts them in the storage.
   */
  readonly admission: Admission | undefined;
  readonly printer: PlanPrinter;
  readonly registries: Registries;
  readonly logger: Logger;
  readonly telemetry: Telemetry | undefined;
  /** The name of this process in logs and in the `RunView` of runs. */
  readonly node: string;
  readonly nodes: LiveNodes;
  /** True if no other process performs the runs. */
  readonly isAlone: boolean;
  readonly now: () => number;
  /** The runs that began when they were accepted here, until the end of their first attempt. */
  readonly begun: Map<string, BegunRun>;
  /**
   * The options of runs that cannot be stored as JSON, such as functions, by run id. Only a service without a storage
   * accepts such options.
   */
  readonly locals: Map<string, LocalRunOptions>;
  /** The runs of a service without a storage, which are limited in number and bytes. */
  readonly memory: MemoryRuns | undefined;
  /** The attempts in progress in this process. */
  readonly performing: Map<string, Performing>;
  /** The waiting runs that are soon woken because their time is over. */
  readonly due: DueRuns;
  readonly suspects: SuspectRuns;
  readonly webhooks: RunWebhooks;
  readonly modelCalls: EventBus<ModelCallNotes>;
  /** Returns the part of a run's record that its owner may see. */
  readonly toView: (record: RunRecord) => RunView;
  /** Milliseconds for which a run of a caller without a verified user waits for an answer. */
  readonly anonymousWaitMs: number;
};

/** Makes the parts of a service. `isAlone`: true if no other process performs the runs in its storage. */
export function makeServiceParts(
  settings: ServiceSettings,
  { storage, isAlone }: { storage: RunStorage; isAlone: boolean },
): ServiceParts {
  const { admission, sealKeys, logger, telemetry, now, node = createId(), retention } = settings;
  const { writer, performing, suspects } = processStateOf(storage);
  const store = new RunStore(storage, now, !isAlone);
  const vault = new KeyVault(storage, sealKeys);
  const printer = new PlanPrinter();
  const tails = new RunTails({
    storage,
    writer,
    isPerformedHere: (runId) => performing.has(runId),
    checkQuiet: async (runId) => await checkQuiet(store, runId),
  });
  const shared = { store, vault, now, logger, tails, isAlone };
  const toRunView = (record: RunRecord): RunView => toView(record, retention.recordMs);
  return {
    store,
    writer,
    tails,
    vault,
    admission: isAlone ? new Admission(admission) : undefined,
    printer,
    registries: settings,
    logger,
    telemetry,
    node,
    isAlone,
    nodes: new LiveNodes({
      storage,
      id: createId(),
      name: node,
      isAlone,
      describe: () => describeServed({ registries: settings, printer, vault }),
      onError: (error) => logger?.warn("The other processes could not be looked at. That is tried again.", { error }),
    }),
    now,
    begun: new Map(),
    locals: new Map(),
    memory: storage instanceof EphemeralRunStorage ? new MemoryRuns({ ...retention, storage, store }) : undefined,
    performing,
    due: new DueRuns(now),
    suspects,
    webhooks: new RunWebhooks({ ...shared, settings: settings.webhooks, toView: toRunView }),
    modelCalls: busOfModelCalls(logger),
    toView: toRunView,
    anonymousWaitMs: retention.anonymousWaitMs,
  };
}

function busOfModelCalls(logger: Logger): EventBus<ModelCallNotes> {
  return new EventBus({ onHandlerError: (error) => logger.error("A listener of model calls failed.", { error }) });
}

/** Throws if a run will never have another event, for the readers that wait for one. */
async function checkQuiet(store: RunStore, runId: string): Promise<void> {
  const record = await store.read(runId);
  if (record === null) throw removed();
  if (record.error?.code === "storage_corrupt") throw new TroupeError("storage_corrupt", record.error.message);
  // If an ended run has no log, its removal was interrupted after the log was removed.
  if (isEnded(record.status) && (await readLastRecord(store.storage, runId)) === undefined) throw removed();
}

function removed(): TroupeError {
  return new TroupeError("gone", "The run was removed.");
}

/** An attempt in progress in this process. `done` never rejects. */
export type Performing = { readonly cancel: (reason: TroupeError) => void; readonly done: Promise<void> };

/**
 * The state that all services of this process over one storage share: the writer of their logs, the attempts in
 * progress, and the suspect runs among them.
 */
export type ProcessState = {
  readonly writer: LogWriter;
  readonly performing: Map<string, Performing>;
  readonly suspects: SuspectRuns;
};

/**
 * Module state on purpose: two services over a storage share only the storage. Weak, so that the state is freed with
 * the storage.
 */
const states = new WeakMap<StorageDriver, ProcessState>();

/** Returns the state that services of this process over a storage share: the same object on each call. */
export function processStateOf(storage: StorageDriver): ProcessState {
  const known = states.get(storage);
  if (known !== undefined) return known;
  const state = {
    writer: new LogWriter(storage),
    performing: new Map<string, Performing>(),
    suspects: new SuspectRuns(),
  };
  states.set(storage, state);
  return state;
}

/** The number of suspect runs that a process performs at the same time. */
const mostTogether = 2;
/** Milliseconds during which a suspect run that was refused is expected to try again. */
const expectedMs = 5000;

/**
 * The permission to perform a suspect run in this process. `isShared`: another suspect run may be performed beside it.
 */
export type SuspectPlace = { readonly isShared: boolean; leave(): void };

/**
 * The suspect runs that a process performs: runs whose processes died twice in a row without progress. At most two of
 * them run at the same time, so that a run that ends its process takes few others with it. If the process died while
 * two suspect runs shared it, each of them is next performed as the only one. All other runs are not limited.
 */
export class SuspectRuns {
  /** The suspect runs in progress; true for runs that share the process with another suspect run. */
  readonly #inside = new Map<string, boolean>();
  /**
   * The suspect runs that were refused, by id: the time until which a run is expected to try again, and true if it must
   * be the only suspect run of the process.
   */
  readonly #refused = new Map<string, { readonly untilMs: number; readonly mustBeAlone: boolean }>();

  /** Returns the permission to perform a suspect run now; undefined if the run must be tried again later. */
  enter(runId: string, mustBeAlone: boolean): SuspectPlace | undefined {
    const now = performance.now();
    this.#refused.delete(runId);
    for (const [other, { untilMs }] of this.#refused) if (untilMs < now) this.#refused.delete(other);
    if (!this.#hasPlace(mustBeAlone)) {
      this.#refused.set(runId, { untilMs: now + expectedMs, mustBeAlone });
      return undefined;
    }
    // If no other suspect run is performed or expected soon, this run is the only one, so that a crash of the process
    // shows that this run is at fault.
    const isShared = !mustBeAlone && (this.#inside.size > 0 || this.#refused.size > 0);
    this.#inside.set(runId, isShared);
    return { isShared, leave: () => void this.#inside.delete(runId) };
  }

  #hasPlace(mustBeAlone: boolean): boolean {
    const isAwaited = [...this.#refused.values()].some((refused) => refused.mustBeAlone);
    if (this.#inside.size === 0) return mustBeAlone || !isAwaited;
    const allShare = [...this.#inside.values()].every(Boolean);
    return !mustBeAlone && !isAwaited && allShare && this.#inside.size < mostTogether;
  }
}
