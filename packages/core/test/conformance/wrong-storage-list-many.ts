import { TroupeError } from "../../src/base/errors/troupe-error.ts";
import type { Listing } from "../../src/sessions/storage/storage-driver.ts";
import type { storageListManyCases } from "../../src/testing/conformance/storage-list-many-cases.ts";
import type { WrongSubjects } from "./check-wrong-subjects.ts";
import { without } from "./altered.ts";
import { meanwhile, storageBut } from "./wrong-storage.ts";
import type { WholeStorage } from "./wrong-storage.ts";

type ListMany = WholeStorage["listMany"];

/** Storages with mistakes in `listMany`. */
export const wrongStorageListings = {
  "returns the entries of each listing in the order of the listings": () =>
    // Listings without entries are left out, as a join of the database would.
    listing((right) => async (listings) => (await right.listMany(listings)).filter((entries) => entries.length > 0)),
  "returns each key with its value and nothing else": () =>
    listing((right) => async (listings) => {
      const listed = await right.listMany(listings);
      return listed.map((entries, index) => entries.map((entry) => ({ ...entry, listing: index })));
    }),
  "lists at most as many entries of each listing as its own limit": () =>
    asking((listings) => listings.map((each) => ({ ...each, limit: Math.max(...listings.map(({ limit }) => limit)) }))),
  "lists the keys of each listing after its own key, which need not exist": () =>
    asking((listings) => listings.map((each) => without(each, "after"))),
  "lists the same as list does, whatever the prefix and the key": () =>
    listing((right) => async (listings) => {
      const listed = await right.listMany(listings);
      return listed.map((entries) => entries.toSorted((one, other) => (one.key < other.key ? -1 : 1)));
    }),
  "makes the same listing as often as it is asked for": () =>
    // One answer for all listings with the same prefix.
    asking((listings) =>
      listings.map(
        (each) => listings.find(({ prefix, after }) => after === undefined && prefix === each.prefix) ?? each,
      ),
    ),
  "accepts an empty array": () =>
    listing((right) => async (listings) => {
      if (listings.length === 0) throw new TroupeError("invalid_value", "There is nothing to list.");
      return await right.listMany(listings);
    }),
  "makes five hundred listings at once": () => asking((listings) => listings.slice(0, 256)),
  "shows what was written and deleted before the call": () => {
    const known = new Map<string, string>();
    return storageBut((right) => ({
      set: async (namespace, key, value) => {
        if (known.has(key)) return;
        known.set(key, namespace);
        await right.set(namespace, key, value);
      },
    }));
  },
  "makes the listings as they were at the call": () =>
    listing((right) => async (listings) => {
      await meanwhile();
      return await right.listMany(listings);
    }),
  "refuses every listing that list refuses": () =>
    asking((listings) => listings.map((each) => (each.limit >= 1 ? each : { ...each, limit: 1 }))),
} satisfies WrongSubjects<WholeStorage, typeof storageListManyCases>;

function listing(listMany: (right: WholeStorage) => ListMany): WholeStorage {
  return storageBut((right) => ({ listMany: listMany(right) }));
}

function asking(change: (listings: readonly Listing[]) => Listing[]): WholeStorage {
  return listing((right) => async (listings) => await right.listMany(change(listings)));
}
