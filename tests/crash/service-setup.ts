import type { StorageAddress } from "../processes/open-storage.ts";
import type { Mutant } from "./mutant-storage.ts";

/** Settings of a service process. */
export type ServiceSetup = {
  storage: StorageAddress;
  vendorUrl: string;
  /** File of the thread that kills the process within a commit. */
  killerThread: string;
  /** A storage that breaks a promise, in place of the real one. */
  mutant?: Mutant;
};

/** A message from the parent: open the storage and serve, or be killed within one of the next commits. */
export type ServiceOrder = { serve: true } | { killWithinCommit: { occurrence: number; share: number } };
