import { TroupeError } from "../../src/base/errors/troupe-error.ts";
import type { Json } from "../../src/sessions/storage/json.ts";
import type { storageAppendCases } from "../../src/testing/conformance/storage-append-cases.ts";
import type { storageCompareAndSetCases } from "../../src/testing/conformance/storage-compare-and-set-cases.ts";
import type { storagePingCases } from "../../src/testing/conformance/storage-driver-cases.ts";
import type { storageTransactionCases } from "../../src/testing/conformance/storage-transaction-cases.ts";
import type { WrongSubjects } from "./check-wrong-subjects.ts";
import { meanwhile, storageBut } from "./wrong-storage.ts";
import type { WholeStorage } from "./wrong-storage.ts";

type Append = WholeStorage["append"];
type CompareAndSet = WholeStorage["compareAndSet"];

/** Storages with mistakes in `append`. */
export const wrongStorageAppends = {
  "numbers appended values from 1 with 12 digits": () =>
    appending((right) => async (ns, prefix, value) => {
      const seq = (await right.list(ns, prefix)).length;
      const key = `${prefix}${seq}`;
      await right.set(ns, key, value);
      return { key, seq };
    }),
  "numbers each prefix and each namespace separately": () => {
    let seq = 0;
    return appending(() => async (_ns, prefix) => ({ key: `${prefix}${++seq}`, seq }));
  },
  "continues the numbers of a prefix with any characters": () =>
    // Counts characters of the prefix as JavaScript does, and not as a database.
    appending((right) => async (ns, prefix, value) => {
      const numbers = (await right.list(ns, prefix)).map(({ key }) => Array.from(key).slice(prefix.length).join(""));
      const seq = Math.max(0, ...numbers.filter((text) => /^\d{12}$/.test(text)).map(Number)) + 1;
      return await numbered(right, { ns, prefix, value, seq });
    }),
  "continues after the highest stored number": () => {
    const last = new Map<string, number>();
    return appending((right) => async (ns, prefix, value) => {
      const seq = (last.get(prefix) ?? 0) + 1;
      last.set(prefix, seq);
      return await numbered(right, { ns, prefix, value, seq });
    });
  },
  "ignores keys that are not numbers": () =>
    appending((right) => async (ns, prefix, value) => {
      const seq = (await right.list(ns, prefix)).length + 1;
      return await numbered(right, { ns, prefix, value, seq });
    }),
  "gives concurrent appends different numbers without a gap": () =>
    appending((right) => async (ns, prefix, value) => {
      const seq = (await right.list(ns, prefix)).length + 1;
      await meanwhile();
      return await numbered(right, { ns, prefix, value, seq });
    }),
  "does not append null": () =>
    appending((right) => async (ns, prefix, value) => await right.append(ns, prefix, value ?? 0)),
  "refuses to append after the last possible number": () =>
    appending((right) => async (ns, prefix, value) => {
      const full = (await right.get(ns, `${prefix}999999999999`)) !== null;
      return full ? { key: `${prefix}999999999999`, seq: 999_999_999_999 } : await right.append(ns, prefix, value);
    }),
  "refuses to append values that are not JSON or under invalid keys": () =>
    appending((right) => async (ns, prefix, value) => await right.append(ns, prefix, Number.isNaN(value) ? 0 : value)),
  "appends the value as it was at the call": () =>
    appending((right) => async (...args) => {
      await meanwhile();
      return await right.append(...args);
    }),
  "appends while the lease is held with its token": () =>
    appending((right) => async (...[ns, prefix, value, options]) => {
      if (options?.ifHeld !== undefined) throw new TroupeError("conflict", "Leases are not supported.");
      return await right.append(ns, prefix, value);
    }),
  "appends nothing once the lease has another token": () =>
    appending((right) => async (ns, prefix, value) => await right.append(ns, prefix, value)),
} satisfies WrongSubjects<WholeStorage, typeof storageAppendCases>;

/** Storages with mistakes in `compareAndSet`. */
export const wrongStorageComparisons = {
  "sets a record that is as expected, and returns true": () => comparing(() => async () => false),
  "sets a record again and again": () => {
    const set = new Set<string>();
    return comparing((right) => async (...[ns, key, expected, next]) => {
      if (set.has(key)) return false;
      set.add(key);
      return await right.compareAndSet(ns, key, expected, next);
    });
  },
  "does not change a record that is not as expected": () =>
    comparing((right) => async (...[ns, key, _expected, next]) => {
      await right.set(ns, key, next);
      return false;
    }),
  "sets a record that is expected to be absent": () =>
    comparing((right) => async (...[ns, key, expected, next]) => {
      const isAbsent = (await right.get(ns, key)) === null;
      return isAbsent ? false : await right.compareAndSet(ns, key, expected, next);
    }),
  "deletes by comparison": () =>
    comparing(
      (right) =>
        async (...[ns, key, expected, next]) =>
          await right.compareAndSet(ns, key, expected, next ?? "null"),
    ),
  "ignores the order of object members": () => comparing((right) => byText(right, JSON.stringify)),
  "respects the order of an array": () =>
    comparing((right) => byText(right, (value) => JSON.stringify(Array.isArray(value) ? value.length : value))),
  "distinguishes false, 0 and an empty string from absent": () =>
    comparing((right) => byText(right, (value) => JSON.stringify(value || null))),
  "lets exactly one of many concurrent creations win": () => comparing((right) => byText(right, JSON.stringify)),
  "lets exactly one of many concurrent replacements win": () => comparing((right) => byText(right, JSON.stringify)),
  "refuses to compare or set values that are not JSON": () =>
    comparing(
      (right) =>
        async (...[ns, key, expected, next]) =>
          await right.compareAndSet(ns, key, expected ?? null, Number.isNaN(next) ? null : next),
    ),
} satisfies WrongSubjects<WholeStorage, typeof storageCompareAndSetCases>;

/** Storages with mistakes in `transaction`. */
export const wrongStorageTransactions = {
  "applies every write, in any namespace": () =>
    transacting((right) => async (writes) => {
      for (const { key, value } of writes) await right.set("ns", key, value);
    }),
  "applies writes in order": () =>
    transacting((right) => async (writes) => await right.transaction(writes.toReversed())),
  "applies a second transaction to the records of the first": () =>
    transacting((right) => async (writes) => {
      const isNew = await Promise.all(writes.map(async ({ key }) => (await right.get("ns", key)) === null));
      await right.transaction(writes.filter((_, index) => isNew[index]));
    }),
  "applies five hundred writes": () =>
    transacting((right) => async (writes) => await right.transaction(writes.slice(0, 100))),
  "applies one whole transaction after another when several write the same records": () =>
    transacting((right) => async (writes) => {
      for (const { namespace, key, value } of writes) {
        await meanwhile();
        await right.set(namespace, key, value);
      }
    }),
  "deletes a record with a write of null": () =>
    transacting(
      (right) => async (writes) =>
        await right.transaction(writes.map((write) => ({ ...write, value: write.value ?? "null" }))),
    ),
  "applies no write when one is invalid": () => transacting(oneByOne),
  "accepts an empty array of writes": () =>
    transacting((right) => async (writes) => {
      if (writes.length === 0) throw new TroupeError("invalid_value", "There is nothing to write.");
      await right.transaction(writes);
    }),
  "writes the values as they were at the call": () =>
    transacting((right) => async (writes) => {
      await meanwhile();
      await right.transaction(writes);
    }),
  "shows all of a transaction or nothing of it": () => transacting(oneByOne),
} satisfies WrongSubjects<WholeStorage, typeof storageTransactionCases>;

/** Storages with mistakes in `ping`. */
export const wrongStoragePings = {
  "answers a ping before and after it is used": () =>
    storageBut((right) => ({
      ping: async () => {
        if ((await right.list("ns")).length === 0) throw new TroupeError("storage_unavailable", "Nothing is there.");
      },
    })),
  "stores no record for a ping": () =>
    storageBut((right) => ({ ping: async () => await right.set("health", "ping", 1) })),
} satisfies WrongSubjects<WholeStorage, typeof storagePingCases>;

function appending(append: (right: WholeStorage) => Append): WholeStorage {
  return storageBut((right) => ({ append: append(right) }));
}

function comparing(compareAndSet: (right: WholeStorage) => CompareAndSet): WholeStorage {
  return storageBut((right) => ({ compareAndSet: compareAndSet(right) }));
}

function transacting(transaction: (right: WholeStorage) => WholeStorage["transaction"]): WholeStorage {
  return storageBut((right) => ({ transaction: transaction(right) }));
}

async function numbered(
  right: WholeStorage,
  { ns, prefix, value, seq }: { ns: string; prefix: string; value: Json; seq: number },
): Promise<{ key: string; seq: number }> {
  const key = `${prefix}${String(seq).padStart(12, "0")}`;
  await right.set(ns, key, value);
  return { key, seq };
}

/** Compares and then writes, which is not atomic. */
function byText(right: WholeStorage, textOf: (value: Json | null) => string): CompareAndSet {
  return async (...[ns, key, expected, next]) => {
    const isExpected = textOf(await right.get(ns, key)) === textOf(expected);
    await meanwhile();
    if (isExpected) await right.set(ns, key, next);
    return isExpected;
  };
}

function oneByOne(right: WholeStorage): WholeStorage["transaction"] {
  return async (writes) => {
    for (const { namespace, key, value } of writes) await right.set(namespace, key, value);
  };
}
