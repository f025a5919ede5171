import { TroupeError } from "../../src/base/errors/troupe-error.ts";
import type { ListOptions, StorageEntry } from "../../src/sessions/storage/storage-driver.ts";
import type { storageDriverCases } from "../../src/testing/conformance/storage-driver-cases.ts";
import type { storageListOptionsCases } from "../../src/testing/conformance/storage-list-cases.ts";
import type { WrongSubjects } from "./check-wrong-subjects.ts";
import { storageBut } from "./wrong-storage.ts";
import type { WholeStorage } from "./wrong-storage.ts";
import { without } from "./altered.ts";

/** Storages with mistakes in `list`. */
export const wrongStorageLists = {
  "lists in the order of the keys' bytes in UTF-8": () =>
    listing((entries) => entries.toSorted((one, other) => (one.key < other.key ? -1 : 1))),
  "lists each key with its value and nothing else": () =>
    listing((entries) => entries.map((entry) => ({ ...entry, namespace: "ns" }))),
  "lists only keys that begin with the prefix": () =>
    storageBut((right) => ({ list: async (ns) => await right.list(ns) })),
  "takes every character of a prefix literally": () =>
    storageBut((right) => ({
      list: async (ns, prefix = "") => (await right.list(ns)).filter(({ key }) => like(prefix).test(key)),
    })),
  "treats an empty prefix as none": () =>
    storageBut((right) => ({ list: async (ns, prefix) => (prefix === "" ? [] : await right.list(ns, prefix)) })),
  "lists one namespace alone": () =>
    storageBut((right) => ({
      list: async (ns, prefix) => [...(await right.list(ns, prefix)), ...(await right.list(`${ns}2`, prefix))],
    })),
  "lists nothing in an empty namespace": () =>
    storageBut((right) => ({
      list: async (ns, prefix) => {
        const entries = await right.list(ns, prefix);
        if (entries.length === 0) throw new TroupeError("not_found", "There is no such namespace.");
        return entries;
      },
    })),
  "lists a thousand records": () => listing((entries) => entries.slice(0, 100)),
} satisfies Partial<WrongSubjects<WholeStorage, typeof storageDriverCases>>;

/** Storages with mistakes in the options of `list`. */
export const wrongStorageListOptions = {
  "lists at most as many entries as the limit": () => heeding((options) => without(options, "limit")),
  "lists the last key first when reversed": () => heeding((options) => without(options, "reverse")),
  "lists the keys after a key, which need not exist": () =>
    storageBut((right) => ({
      list: async (ns, prefix, { after, ...rest } = {}) => {
        const entries = await right.list(ns, prefix, rest);
        return entries.slice(entries.findIndex(({ key }) => key === after) + 1);
      },
    })),
  "lists the keys before a key when reversed": () =>
    storageBut((right) => ({
      list: async (ns, prefix, options = {}) =>
        options.reverse === true
          ? (await right.list(ns, prefix, { ...options, reverse: false })).toReversed()
          : await right.list(ns, prefix, options),
    })),
  "combines prefix, limit, reverse and after": () =>
    storageBut((right) => ({
      // Applies the limit before the prefix.
      list: async (ns, prefix = "", options = {}) =>
        (await right.list(ns, "", options)).filter(({ key }) => key.startsWith(prefix)),
    })),
  "lists page after page, with nothing missing and nothing twice": () =>
    // Pages after the first lose their last entry when they are full.
    storageBut((right) => ({
      list: async (ns, prefix, options = {}) => {
        const entries = await right.list(ns, prefix, options);
        return options.after !== undefined && entries.length === options.limit ? entries.slice(0, -1) : entries;
      },
    })),
  "refuses a limit that is not a positive integer": () =>
    heeding(({ limit, ...rest }) =>
      limit !== undefined && limit >= 1 && limit < Infinity ? { limit, ...rest } : rest,
    ),
  "refuses an after that is not a key": () =>
    heeding(({ after, ...rest }) => (after === undefined || after.length > 2 ? rest : { after, ...rest })),
} satisfies WrongSubjects<WholeStorage, typeof storageListOptionsCases>;

/** Storages with mistakes in `close` and in optional members. */
export const wrongStorageLives = {
  "closes twice": () => {
    let isClosed = false;
    return storageBut((right) => ({
      close: async () => {
        if (isClosed) throw new TroupeError("storage_unavailable", "Closed already.");
        isClosed = true;
        await right.close();
      },
    }));
  },
  "refuses every call after it was closed": () => storageBut(() => ({ close: async () => {} })),
  "implements each optional member that it has": () =>
    storageBut(() => ({
      transaction: async () => {
        throw new TroupeError("internal", "Transactions are not supported.");
      },
    })),
} satisfies Partial<WrongSubjects<WholeStorage, typeof storageDriverCases>>;

function listing(change: (entries: StorageEntry[]) => StorageEntry[]): WholeStorage {
  return storageBut((right) => ({ list: async (...args) => change(await right.list(...args)) }));
}

function heeding(change: (options: ListOptions) => ListOptions): WholeStorage {
  return storageBut((right) => ({
    list: async (ns, prefix, options = {}) => await right.list(ns, prefix, change(options)),
  }));
}

/** Matches a prefix as the pattern of a database, without escaping. */
function like(prefix: string): RegExp {
  const source = prefix.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${source.replaceAll("%", ".*").replaceAll("_", ".")}`, "u");
}
