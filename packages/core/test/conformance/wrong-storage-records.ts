import { TroupeError } from "../../src/base/errors/troupe-error.ts";
import type { Json } from "../../src/sessions/storage/json.ts";
import type { storageDriverCases } from "../../src/testing/conformance/storage-driver-cases.ts";
import type { WrongSubjects } from "./check-wrong-subjects.ts";
import { meanwhile, moving, reading, storageBut, renaming } from "./wrong-storage.ts";
import type { WholeStorage } from "./wrong-storage.ts";

/** Storages with mistakes in single records. */
export const wrongStorageRecords = {
  "returns null for a key that was never set": () => reading((value) => value ?? undefined),
  "distinguishes false, 0 and empty values from absent ones": () => reading((value) => value || null),
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
  "deletes a record that is set to null": () =>
    storageBut((right) => ({
      set: async (ns, key, value) => await right.set(ns, key, value ?? "null"),
    })),
  "keeps namespaces apart": () => moving(() => "all"),
  "keeps namespace and key apart whatever characters they hold": () => joining("/"),
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
  "keeps one whole value of several that are set at once": () =>
    storageBut((right) => ({
      set: async (ns, key, value) => {
        await meanwhile();
        await right.set(ns, key, merged(await right.get(ns, key), value));
      },
    })),
} satisfies Partial<WrongSubjects<WholeStorage, typeof storageDriverCases>>;

/** Merges two objects as a storage does that writes members one by one. */
function merged(old: Json | null, next: Json): Json {
  return Object.assign({}, old, next) as Json;
}

function joining(border: string): WholeStorage {
  return storageBut((right) => ({
    get: async (ns, key) => await right.get("all", `${ns}${border}${key}`),
    set: async (ns, key, value) => await right.set("all", `${ns}${border}${key}`, value),
  }));
}

/** Storages with mistakes in namespaces and keys. */
export const wrongStorageKeys = {
  "distinguishes keys by every character": () => renaming((key) => key.toLowerCase()),
  "distinguishes namespaces by every character": () => moving((namespace) => namespace.normalize()),
  "stores percent-encoded keys unchanged": () => renaming(decoded),
  "finds nothing under the names of an object's own members, and stores under them": () =>
    storageBut((right) => ({
      get: async (ns, key) => (key in {} ? (Reflect.get({}, key) as Json) : await right.get(ns, key)),
    })),
  "accepts names of up to 1,024 bytes": () => renaming((key) => key.slice(0, 254)),
  "refuses an empty name": () => replacing((name) => name === ""),
  "refuses a name with NUL": () => replacing((name) => String(name).includes("\0")),
  "refuses a name with an unpaired surrogate": () => replacing((name) => !String(name).isWellFormed()),
  "refuses a name of more than 1,024 bytes": () => replacing((name) => Buffer.byteLength(String(name)) > 1024),
  "refuses a name that is not a string": () => replacing((name) => typeof name !== "string"),
} satisfies Partial<WrongSubjects<WholeStorage, typeof storageDriverCases>>;

/** Replaces an invalid name instead of refusing it. */
function replacing(isBad: (name: unknown) => boolean): WholeStorage {
  const good = (name: string) => (isBad(name) ? "other" : name);
  return storageBut((right) => ({
    get: async (ns, key) => await right.get(good(ns), good(key)),
    set: async (ns, key, value) => await right.set(good(ns), good(key), value),
    delete: async (ns, key) => await right.delete(good(ns), good(key)),
    list: async (ns, ...rest) => await right.list(good(ns), ...rest),
  }));
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
