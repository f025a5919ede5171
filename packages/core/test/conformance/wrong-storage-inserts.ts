import { TroupeError } from "../../src/base/errors/troupe-error.ts";
import type { storageInsertAllCases } from "../../src/testing/conformance/storage-insert-all-cases.ts";
import type { storageWatchCases } from "../../src/testing/conformance/storage-watch-cases.ts";
import type { WrongSubjects } from "./check-wrong-subjects.ts";
import { meanwhile, storageBut } from "./wrong-storage.ts";
import type { WholeStorage } from "./wrong-storage.ts";

type InsertAll = WholeStorage["insertAll"];
type Insert = Parameters<InsertAll>[0][number];
type Watch = WholeStorage["watch"];

/** Storages with mistakes in `insertAll`. */
export const wrongStorageInserts = {
  "inserts records into any namespace": () =>
    inserting((right) => async (writes) => await right.insertAll(writes.map((each) => ({ ...each, namespace: "ns" })))),
  "inserts each record on its own, and says in their order which it inserted": () =>
    // All or none.
    inserting((right) => async (writes) => {
      const stored = await Promise.all(writes.map(async ({ namespace, key }) => await right.get(namespace, key)));
      if (stored.every((value) => value === null)) return await right.insertAll(writes);
      return writes.map(() => false);
    }),
  "inserts the first of several records with one key": () =>
    inserting((right) => async (writes) => (await right.insertAll(writes.toReversed())).toReversed()),
  "inserts again what was deleted": () => {
    const known = new Set<string>();
    return inserting((right) => async (writes) => {
      const isNew = writes.map(({ key }) => !known.has(key));
      for (const { key } of writes) known.add(key);
      return await right.insertAll(writes.filter((_, index) => isNew[index]));
    });
  },
  "does not insert where false, 0 or an empty string is stored": () =>
    inserting((right) => async (writes) => {
      const [first] = writes;
      if (first === undefined) return [];
      const stored = await right.get(first.namespace, first.key);
      if (!stored) await right.delete(first.namespace, first.key);
      return await right.insertAll(writes);
    }),
  "distinguishes keys that are nearly equal": () =>
    inserting((right) => async (writes) => {
      const folded = writes.map((each) => ({ ...each, key: each.key.trim().normalize().toLowerCase() }));
      return await right.insertAll(folded);
    }),
  "accepts an empty array": () =>
    inserting((right) => async (writes) => {
      if (writes.length === 0) throw new TroupeError("invalid_value", "There is nothing to insert.");
      return await right.insertAll(writes);
    }),
  "inserts a thousand records at once": () =>
    inserting((right) => async (writes) => await right.insertAll(writes.slice(0, 500))),
  "inserts nothing when a key or a value is invalid": () => inserting(oneByOne),
  "inserts the values as they were at the call": () =>
    inserting((right) => async (writes) => {
      await meanwhile();
      return await right.insertAll(writes);
    }),
  "lets exactly one of many concurrent calls insert each record": () => inserting(oneByOne),
} satisfies WrongSubjects<WholeStorage, typeof storageInsertAllCases>;

/** Storages with mistakes in `watch`. */
export const wrongStorageWatches = {
  "calls back when a record was set or deleted": () =>
    watching(() => () => {
      throw new TroupeError("internal", "Watching is not supported.");
    }),
  "calls back when another member wrote, as far as there is one": () =>
    storageBut((right) => {
      const listeners: (() => void)[] = [];
      return {
        set: async (...write) => {
          await right.set(...write);
          for (const listener of listeners) listener();
        },
        watch: (_namespace, listener) => {
          listeners.push(listener);
          return () => {};
        },
      };
    }),
  "calls back when what was written can be read": () =>
    // Calls back once, before anything was written.
    watching(() => (_namespace, listener) => {
      queueMicrotask(listener);
      return () => {};
    }),
  "calls each of several listeners, also one that was given twice": () => {
    const stops = new Map<() => void, () => void>();
    return watching((right) => (namespace, listener) => {
      stops.get(listener)?.();
      const stop = right.watch(namespace, listener);
      stops.set(listener, stop);
      return stop;
    });
  },
  "calls no listener whose watching was ended, and goes on calling the others": () =>
    watching((right) => (namespace, listener) => {
      right.watch(namespace, listener);
      return () => {};
    }),
  "goes on when a listener throws or rejects": () =>
    storageBut((right) => {
      const listeners = new Set<() => void>();
      return {
        set: async (...write) => {
          await right.set(...write);
          try {
            for (const listener of listeners) listener();
          } catch (cause) {
            throw new TroupeError("internal", "A listener failed.", { cause });
          }
        },
        watch: (_namespace, listener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      };
    }),
  "lets a listener write, watch and end its watching": () =>
    watching(
      (right) => (namespace, listener) =>
        right.watch(namespace, () => {
          for (let call = 0; call < 2; call++) listener();
        }),
    ),
  "calls no listener after close, and refuses to watch then": () => {
    let timer: NodeJS.Timeout | undefined;
    return storageBut((right) => ({
      watch: (_namespace, listener) => {
        timer = setInterval(listener, 1).unref();
        return () => clearInterval(timer);
      },
      close: async () => {
        await right.close();
      },
    }));
  },
  "refuses to watch a namespace that no record can have": () =>
    watching((right) => (namespace, listener) => right.watch(namespace.slice(0, 10) || "any", listener)),
} satisfies WrongSubjects<WholeStorage, typeof storageWatchCases>;

function inserting(insertAll: (right: WholeStorage) => InsertAll): WholeStorage {
  return storageBut((right) => ({ insertAll: insertAll(right) }));
}

function watching(watch: (right: WholeStorage) => Watch): WholeStorage {
  return storageBut((right) => ({ watch: watch(right) }));
}

/** Reads and then writes each record in its turn: neither atomic nor checked before the first write. */
function oneByOne(right: WholeStorage): InsertAll {
  const insert = async ({ namespace, key, value }: Insert): Promise<boolean> => {
    const isFree = (await right.get(namespace, key)) === null;
    await meanwhile();
    if (isFree) await right.set(namespace, key, value);
    return isFree;
  };
  return async (writes) => {
    const inserted: boolean[] = [];
    for (const write of writes) inserted.push(await insert(write));
    return inserted;
  };
}
