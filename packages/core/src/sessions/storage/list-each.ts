import { mapBounded } from "../../base/async/map-bounded.ts";
import { isUnavailable } from "./storage-failure.ts";
import type { Listing, StorageDriver, StorageEntry } from "./storage-driver.ts";

/** The maximum number of listings in one call of `listMany`. */
const groupSize = 500;

/** The outcome of one of several listings: its entries, or its error. */
export type Listed = PromiseSettledResult<readonly StorageEntry[]>;

/**
 * Makes many listings, each with its own outcome. If the driver has `listMany`, one request makes up to 500 of them.
 * Without `listMany`, or after a failure of it other than `storage_unavailable`, each listing is a call of `list`.
 * Never rejects. A driver may ignore `after` and `limit`, as in `list`.
 */
export async function listEach(driver: StorageDriver, listings: readonly Listing[]): Promise<Listed[]> {
  const groups = Array.from({ length: Math.ceil(listings.length / groupSize) }, (_, index) =>
    listings.slice(index * groupSize, (index + 1) * groupSize),
  );
  return (await mapBounded(groups, (group) => listGroup(driver, group))).flat();
}

async function listGroup(driver: StorageDriver, group: readonly Listing[]): Promise<Listed[]> {
  if (driver.listMany !== undefined) {
    try {
      const listed = await driver.listMany(group);
      return group.map((_, index) => ({ status: "fulfilled", value: listed[index] ?? [] }));
    } catch (reason) {
      if (isUnavailable(reason)) return group.map(() => ({ status: "rejected", reason }));
      // Perhaps the records of one listing are damaged. Each listing is now a request of its own, so the others succeed.
    }
  }
  return await mapBounded(group, async ({ namespace, prefix, ...options }) => {
    const [outcome] = await Promise.allSettled([driver.list(namespace, prefix, options)]);
    return outcome;
  });
}
