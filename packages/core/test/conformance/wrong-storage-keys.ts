import type { Json } from "../../src/storage/json.ts";
import type { storageKeyCases } from "../../src/testing/conformance/storage-key-cases.ts";
import type { WrongSubjects } from "./check-wrong-subjects.ts";
import { moving, renaming, storageBut } from "./wrong-storage.ts";
import type { WholeStorage } from "./wrong-storage.ts";

/** Storages that take names for others, or take what they cannot keep. */
export const wrongStorageKeys = {
  "tells keys apart by every character": () => renaming((key) => key.toLowerCase()),
  "tells namespaces apart by every character": () => moving((namespace) => namespace.normalize()),
  "takes percent-encoded keys as they stand": () => renaming(decoded),
  "finds nothing under the names of an object's own members, and stores under them": () =>
    storageBut((right) => ({
      get: async (ns, key) => (key in {} ? (Reflect.get({}, key) as Json) : await right.get(ns, key)),
    })),
  "takes names of up to 1,024 bytes": () => renaming((key) => key.slice(0, 254)),
  "refuses an empty name": () => replacing((name) => name === ""),
  "refuses a name with NUL": () => replacing((name) => String(name).includes("\0")),
  "refuses a name with an unpaired surrogate": () => replacing((name) => !String(name).isWellFormed()),
  "refuses a name of more than 1,024 bytes": () => replacing((name) => Buffer.byteLength(String(name)) > 1024),
  "refuses a name that is no text": () => replacing((name) => typeof name !== "string"),
} satisfies WrongSubjects<WholeStorage, typeof storageKeyCases>;

/** Takes a name that it should refuse, and uses another. */
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
