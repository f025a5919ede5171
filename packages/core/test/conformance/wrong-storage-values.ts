import { TroupeError } from "../../src/errors/troupe-error.ts";
import type { Json } from "../../src/storage/json.ts";
import type { StorageEntry } from "../../src/storage/storage-driver.ts";
import type { storageValueCases } from "../../src/testing/conformance/storage-value-cases.ts";
import type { WrongSubjects } from "./check-wrong-subjects.ts";
import { changeTexts, meanwhile, reading, storageBut, storing } from "./wrong-storage.ts";
import type { WholeStorage } from "./wrong-storage.ts";

/** Storages that change what they keep, keep what they should refuse, or share it. */
export const wrongStorageValues = {
  "keeps numbers as they are": () => storing((value) => (typeof value === "number" ? Math.trunc(value) : value)),
  "keeps every character of a text": () => storing((value) => changeTexts(value, (text) => text.replaceAll("\0", ""))),
  "keeps a text of a million characters": () =>
    storing((value) => changeTexts(value, (text) => text.slice(0, 65_535).toWellFormed())),
  "keeps a list of ten thousand": () => storing((value) => (Array.isArray(value) ? value.slice(0, 1000) : value)),
  "keeps null within a value": () =>
    storing((value) => JSON.parse(JSON.stringify(value).replaceAll("null", '""')) as Json),
  "keeps the name of every member": () =>
    storing((value) => JSON.parse(JSON.stringify(value).replaceAll('"__proto__"', '"proto"')) as Json),
  "takes objects that mean something elsewhere as data": () =>
    reading((value) => (value !== null && typeof value === "object" && "$date" in value ? value["$date"] : value)),
  "does not read a text as JSON or as a date": () =>
    reading((value) => (typeof value === "string" && value.startsWith("{") ? JSON.parse(value) : value)),
  "leaves out members that are undefined": () =>
    storing((value) => JSON.parse(JSON.stringify(value, (_name, part: unknown) => part ?? null)) as Json),
  "stores 64 levels": () =>
    storing((value) => {
      if (levelsOf(value) > 32) throw new TroupeError("invalid_value", "Too deep.");
      return value;
    }),
  "refuses 65 levels": forgiving,
  "refuses what is not JSON": forgiving,
  "refuses unpaired surrogates in texts and names": () =>
    storing((value) => JSON.parse(JSON.stringify(value).replaceAll(/\\ud[89a-f]../g, "?")) as Json),
  "keeps the old value when it refuses the new one": () =>
    storageBut((right) => ({
      set: async (ns, key, value) => {
        await right.delete(ns, key);
        await right.set(ns, key, value);
      },
    })),
  "keeps nothing of the caller's object": () =>
    storageBut((right) => ({
      set: async (ns, key, value) => {
        await meanwhile();
        await right.set(ns, key, value);
      },
    })),
  "gives every caller an object of its own": () =>
    storageBut((right) => {
      let cached: Promise<Json | null> | undefined;
      return { get: async (ns, key) => await (cached ??= right.get(ns, key)) };
    }),
  "lists objects that are the caller's own": () =>
    storageBut((right) => {
      let cached: Promise<StorageEntry[]> | undefined;
      return { list: async (ns) => await (cached ??= right.list(ns)) };
    }),
} satisfies WrongSubjects<WholeStorage, typeof storageValueCases>;

/** Stores something in place of what it cannot store. */
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
