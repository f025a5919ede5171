import type { Journal } from "../../agents/journal/journal.ts";
import type { LogRecord } from "../../agents/journal/log-entry.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { LogWriter } from "../../agents/journal/log-writer.ts";
import { readLastRecord } from "../../agents/journal/read-log.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { ContinuedTelemetry, Telemetry } from "../../base/telemetry/telemetry.ts";
import { createId } from "../../base/util/create-id.ts";
import { Admission } from "./admission.ts";
import type { DurableTarget, Registries, StartedRun } from "./durable-target.ts";
import { KeyVault } from "../run-store/key-vault.ts";
import { LiveNodes } from "./live-nodes.ts";
import { MemoryRuns } from "./memory-runs.ts";
import { PlanPrinter } from "../run-store/plan-print.ts";
import { describeServed } from "./node-record.ts";
import { processStateOf } from "./process-state.ts";
import { isEnded } from "../run-store/run-record.ts";
import type { RunRecord, RunStorage } from "../run-store/run-record.ts";
import type { ServiceSettings } from "./run-service-options.ts";
import type { SuspectRuns } from "./suspect-runs.ts";
import { RunStore } from "../run-store/run-store.ts";
import { EphemeralRunStorage } from "../run-events/ephemeral-run-storage.ts";
import { RunTails } from "../run-events/run-tails.ts";
import type { LocalRunOptions, RunKeys } from "../run-store/run-view.ts";

/** Everything that an attempt needs beside the record of its run. */
export type Ready = {
  readonly target: DurableTarget;
  readonly keys: RunKeys;
  readonly plan: RunRecord["plan"];
  readonly print: string;
};

/**
 * A run that this process accepted in order to perform it immediately. Its first attempt was stored with it, as the
 * first record of its log. Another process that receives the run finds that attempt. The acceptance has made the run to
 * check its options; the attempt performs the same run.
 */
export type BegunRun = Ready & {
  readonly record: RunRecord;
  readonly first: LogRecord;
  readonly journal: Journal;
  /** Cancels the run. */
  readonly controller: AbortController;
  readonly run: StartedRun;
  /** Records the first attempt, if the service records its runs. */
  readonly telemetry?: ContinuedTelemetry | undefined;
};

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
  /** The name of this process in logs and views. */
  readonly node: string;
  readonly nodes: LiveNodes;
  readonly now: () => number;
  /** The runs that began when they were accepted here, until the end of their first attempt. */
  readonly begun: Map<string, BegunRun>;
  /** The options that no record can hold, by run, for a service without storage. */
  readonly locals: Map<string, LocalRunOptions>;
  /** Limits the runs of a service without a storage. */
  readonly memory: MemoryRuns | undefined;
  readonly suspects: SuspectRuns;
  /** Milliseconds for which a run of a caller without a verified user waits for an answer. */
  readonly anonymousWaitMs: number;
};

/** Makes the parts of a service. `isAlone`: true if no other process performs the runs in its storage. */
export function makeServiceParts(
  settings: ServiceSettings,
  { storage, isAlone }: { storage: RunStorage; isAlone: boolean },
): ServiceParts {
  const { admission, sealKeys, logger, telemetry, now, node = createId(), retention } = settings;
  const { writer, performing } = processStateOf(storage);
  const store = new RunStore(storage, now, !isAlone);
  const vault = new KeyVault(storage, sealKeys);
  const printer = new PlanPrinter();
  return {
    store,
    writer,
    tails: new RunTails({
      storage,
      writer,
      isPerformedHere: (runId) => performing.has(runId),
      checkQuiet: async (runId) => await checkQuiet(store, runId),
    }),
    vault,
    admission: isAlone ? new Admission(admission) : undefined,
    printer,
    registries: settings,
    logger,
    telemetry,
    node,
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
    suspects: processStateOf(storage).suspects,
    anonymousWaitMs: retention.anonymousWaitMs,
  };
}

/** Throws for the readers of a run that will never have another event. */
async function checkQuiet(store: RunStore, runId: string): Promise<void> {
  const record = await store.read(runId);
  if (record === null) throw removed();
  if (record.error?.code === "storage_corrupt") throw new TroupeError("storage_corrupt", record.error.message);
  // Without a log, an ended run's removal was interrupted after its log was removed.
  if (isEnded(record.status) && (await readLastRecord(store.storage, runId)) === undefined) throw removed();
}

function removed(): TroupeError {
  return new TroupeError("gone", "The run was removed.");
}
