import type { LogWriter } from "../journal/log-writer.ts";
import type { Logger } from "../log/logger.ts";
import type { Admission } from "./admission.ts";
import type { Registries } from "./durable-target.ts";
import type { KeyVault } from "./key-vault.ts";
import type { PlanPrinter } from "./plan-print.ts";
import type { RunStore } from "./run-store.ts";
import type { RunTails } from "./run-tails.ts";
import type { LocalRunOptions } from "./run-view.ts";

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
  /** An id of this process. */
  readonly node: string;
  readonly now: () => number;
  /** By run, the options that no record can hold, of a service without storage. */
  readonly locals: Map<string, LocalRunOptions>;
  /** Called when a run has ended in this process. */
  readonly onEnded: (runId: string) => void;
};
