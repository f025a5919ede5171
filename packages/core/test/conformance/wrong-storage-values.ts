import { TroupeError } from "../../src/base/errors/troupe-error.ts";
import type { Json } from "../../src/sessions/storage/json.ts";
import type { StorageEntry } from "../../src/sessions/storage/storage-driver.ts";
import type { storageDriverCases } from "../../src/testing/conformance/storage-driver-cases.ts";
import type { WrongSubjects } from "./check-wrong-subjects.ts";
import { changeTexts, meanwhile, reading, storageBut, storing } from "./wrong-storage.ts";
import type { WholeStorage } from "./wrong-storage.ts";

/** Storages that change values, accept invalid ones, or share objects. */
export const wrongStorageValues = {
  "keeps numbers unchanged": () => storing((value) => (typeof value === "number" ? Math.trunc(value) : value)),
  "keeps every character of a string": () =>
    storing((value) => changeTexts(value, (text) => text.replaceAll("\0", ""))),
  "keeps a string of a million characters": () =>
    storing((value) => changeTexts(value, (text) => text.slice(0, 65_535).toWellFormed())),
  "keeps an array of ten thousand entries": () =>
    storing((value) => (Array.isArray(value) ? value.slice(0, 1000) : value)),
  "keeps null within a value": () =>
    storing((value) => JSON.parse(JSON.stringify(value).replaceAll("null", '""')) as Json),
  "keeps the name of every member": () =>
    storing((value) => JSON.parse(JSON.stringify(value).replaceAll('"__proto__"', '"proto"')) as Json),
  "treats objects with a meaning in other systems as data": () =>
    reading((value) => (value !== null && typeof value === "object" && "$date" in value ? value["$date"] : value)),
  "does not parse a string as JSON or as a date": () =>
    reading((value) => (typeof value === "string" && value.startsWith("{") ? JSON.parse(value) : value)),
  "leaves out members that are undefined": () =>
    storing((value) => JSON.parse(JSON.stringify(value, (_name, part: unknown) => part ?? null)) as Json),
  "stores 64 levels": () =>
    storing((value) => {
      if (levelsOf(value) > 32) throw new TroupeError("invalid_value", "Too deep.");
      return value;
    }),
  "refuses 65 levels": forgiving,
  "refuses values that are not JSON": forgiving,
  "refuses unpaired surrogates in strings and names": () =>
    storing((value) => JSON.parse(JSON.stringify(value).replaceAll(/\\ud[89a-f]../g, "?")) as Json),
  "keeps the old value when it refuses the new one": () =>
    storageBut((right) => ({
      set: async (ns, key, value) => {
        await right.delete(ns, key);
        await right.set(ns, key, value);
      },
    })),
  "keeps no reference to the caller's object": () =>
    storageBut((right) => ({
      set: async (ns, key, value) => {
        await meanwhile();
        await right.set(ns, key, value);
      },
    })),
  "returns a new object to every caller": () =>
    storageBut((right) => {
      let cached: Promise<Json | null> | undefined;
      return { get: async (ns, key) => await (cached ??= right.get(ns, key)) };
    }),
  "lists new objects to every caller": () =>
    storageBut((right) => {
      let cached: Promise<StorageEntry[]> | undefined;
      return { list: async (ns) => await (cached ??= right.list(ns)) };
    }),
} satisfies Partial<WrongSubjects<WholeStorage, typeof storageDriverCases>>;

/** Replaces a value that cannot be stored. */
function forgiving(): WholeStorage {
  return storageBut((right) => ({
    set: async (ns, key, value) => {
      await right.set(ns, key, value).catch(async () => await right.set(ns, key, "?"));
    },
  }));
}

function levelsOf(value: Json): number {
  return value !== null && typeof value === "object" ? 1 + Math.max(0, ...Object.values(value).map(levelsOf)) : 0;
}
