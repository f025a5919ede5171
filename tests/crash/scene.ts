import type { FakeVendor } from "@troupe-internal/vendor-fakes";
import type { StorageAddress } from "../processes/open-storage.ts";
import type { Client } from "./client.ts";
import type { CrashRecord } from "./crash-record.ts";
import type { ServiceProcess } from "./service-process.ts";

/** What all that is tried has in common. */
export type Scene = {
  client: Client;
  record: CrashRecord;
  vendor: FakeVendor;
  random: () => number;
  /** Starts a service as far as it gets without its storage. */
  boot: (storage: StorageAddress) => Promise<ServiceProcess>;
};
