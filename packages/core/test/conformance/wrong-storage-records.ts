import { TroupeError } from "../../src/errors/troupe-error.ts";
import type { Json } from "../../src/storage/json.ts";
import type { storageRecordCases } from "../../src/testing/conformance/storage-record-cases.ts";
import type { WrongSubjects } from "./check-wrong-subjects.ts";
import { meanwhile, moving, reading, storageBut } from "./wrong-storage.ts";
import type { WholeStorage } from "./wrong-storage.ts";

/** Storages that keep single records wrongly. */
export const wrongStorageRecords = {
  "gives null for a key that was never set": () => reading((value) => value ?? undefined),
  "tells false, 0 and empty values from absent ones": () => reading((value) => value || null),
  "replaces a value as a whole": () =>
    storageBut((right) => ({
      set: async (ns, key, value) => await right.set(ns, key, merged(await right.get(ns, key), value)),
    })),
  "deletes a record": () => storageBut(() => ({ delete: async () => {} })),
  "deletes an absent record without an error": () =>
    storageBut((right) => ({
      delete: async (ns, key) => {
        if ((await right.get(ns, key)) === null) throw new TroupeError("not_found", "Nothing to delete.");
        await right.delete(ns, key);
      },
    })),
  "takes a set of null for a delete": () =>
    storageBut((right) => ({
      set: async (ns, key, value) => await right.set(ns, key, value ?? "null"),
    })),
  "keeps namespaces apart": () => moving(() => "all"),
  "does not mistake the border between namespace and key": () => joining("/"),
  "keeps every one of many records set at once": () =>
    storageBut((right) => {
      let busy = false;
      return {
        set: async (ns, key, value) => {
          if (busy) return;
          busy = true;
          await meanwhile();
          await right.set(ns, key, value);
          busy = false;
        },
      };
    }),
  "keeps one of several values set at once, and that one whole": () =>
    storageBut((right) => ({
      set: async (ns, key, value) => {
        await meanwhile();
        await right.set(ns, key, merged(await right.get(ns, key), value));
      },
    })),
} satisfies WrongSubjects<WholeStorage, typeof storageRecordCases>;

/** What a storage makes of two objects that writes their members one by one. */
function merged(old: Json | null, next: Json): Json {
  return Object.assign({}, old, next) as Json;
}

function joining(border: string): WholeStorage {
  return storageBut((right) => ({
    get: async (ns, key) => await right.get("all", `${ns}${border}${key}`),
    set: async (ns, key, value) => await right.set("all", `${ns}${border}${key}`, value),
  }));
}
