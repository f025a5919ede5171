import { LogWriter } from "../../agents/journal/log-writer.ts";
import type { TroupeError } from "../../base/errors/troupe-error.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { SuspectRuns } from "./suspect-runs.ts";

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
