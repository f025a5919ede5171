import type { StorageAddress } from "../processes/open-storage.ts";
import type { Breach } from "./breaches.ts";

/** What a service process is started with. */
export type ServiceSetup = {
  storage: StorageAddress;
  vendorUrl: string;
  /** The file of the thread that kills it within a commit. */
  killerThread: string;
  /** A promise that its storage breaks on purpose. */
  breach?: Breach;
};

/** What the parent says to it: to open its storage and serve, or to end within one of the next commits. */
export type ServiceOrder = { serve: true } | { killWithinCommit: number };
