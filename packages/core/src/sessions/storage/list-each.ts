import { mapBounded } from "../../base/async/map-bounded.ts";
import { isUnavailable } from "./storage-failure.ts";
import type { Listing, StorageDriver, StorageEntry } from "./storage-driver.ts";

/** The number of listings that are asked for with one request. */
const groupSize = 500;

/** The outcome of one of several listings. */
export type Listed = PromiseSettledResult<readonly StorageEntry[]>;

/**
 * Makes many listings, each with an outcome of its own: with one request for up to 500 of them where the driver has
 * `listMany`, and one by one where it has not. Never rejects. A driver may ignore `after` and `limit`, as it may in `list`.
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
      // The records of one listing may be at fault.
    }
  }
  return await mapBounded(group, async ({ namespace, prefix, ...options }) => {
    const [outcome] = await Promise.allSettled([driver.list(namespace, prefix, options)]);
    return outcome;
  });
}
