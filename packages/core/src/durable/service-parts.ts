import type { LogRecord } from "../journal/log-entry.ts";
import type { LogWriter } from "../journal/log-writer.ts";
import type { Logger } from "../log/logger.ts";
import type { Admission } from "./admission.ts";
import type { DurableTarget, Registries } from "./durable-target.ts";
import type { KeyVault } from "./key-vault.ts";
import type { PlanPrinter } from "./plan-print.ts";
import type { RunRecord } from "./run-record.ts";
import type { RunStore } from "./run-store.ts";
import type { RunTails } from "./run-tails.ts";
import type { LocalRunOptions, RunKeys } from "./run-view.ts";

/** All that an attempt needs beside the record of its run. */
export type Ready = {
  readonly target: DurableTarget;
  readonly keys: RunKeys;
  readonly plan: RunRecord["plan"];
  readonly print: string;
};

/**
 * A run that this process has accepted to perform it at once: its first attempt was stored with it, as the first record of its
 * log. Whoever else comes to the run finds that attempt.
 */
export type BegunRun = Ready & { readonly record: RunRecord; readonly first: LogRecord };

/** All that the parts of a `RunService` share. */
export type ServiceParts = {
  readonly store: RunStore;
  readonly writer: LogWriter;
  readonly tails: RunTails;
  readonly vault: KeyVault;
  readonly admission: Admission;
  readonly printer: PlanPrinter;
  readonly registries: Registries;
  readonly logger: Logger | undefined;
  /** The name of this process in logs and views. */
  readonly node: string;
  readonly now: () => number;
  /** The runs that began with their acceptance here, from then to the end of their first attempt. */
  readonly begun: Map<string, BegunRun>;
  /** By run, the options that no record can hold, of a service without storage. */
  readonly locals: Map<string, LocalRunOptions>;
  /** Called when a run has ended in this process. */
  readonly onEnded: (runId: string) => void;
};
