import type { FakeVendor } from "@troupe-internal/vendor-fakes";
import type { StorageAddress } from "../processes/open-storage.ts";
import type { Client } from "./client.ts";
import type { CrashRecord } from "./crash-record.ts";
import type { ServiceProcess } from "./service-process.ts";

/** Objects that all trials share. */
export type Scene = {
  client: Client;
  record: CrashRecord;
  vendor: FakeVendor;
  random: () => number;
  /** Starts a service that has not opened its storage yet. */
  boot: (storage: StorageAddress) => Promise<ServiceProcess>;
};
