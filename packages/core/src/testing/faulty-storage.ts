import { TroupeError } from "../base/errors/troupe-error.ts";
import type { Json } from "../sessions/storage/json.ts";
import type { StorageDriver, StorageEntry } from "../sessions/storage/storage-driver.ts";

/**
 * A fault of one storage call. It fails before it has any effect, fails afterwards (the response is lost), never
 * resolves, resolves late, or resolves with damaged records.
 */
export type StorageFault = "fail-before" | "fail-after" | "hang" | "corrupt" | { delayMs: number };

/** Plan of a `FaultyStorage`: returns the fault of a call, or `undefined` for no fault. Calls are counted from 1. */
export type FaultPlan = (call: {
  number: number;
  method: string;
  args: readonly unknown[];
}) => StorageFault | undefined;

/** A storage for tests, with planned faults, and the number of its calls. */
export type FaultyStorage = StorageDriver & { readonly callCount: number };

/** Value of damaged records: valid JSON that is not a record of the framework. */
const damaged: Json = { damaged: true };

/** Returns a plan with a fault of the k-th call only. */
export function faultAtCall(k: number, fault: StorageFault): FaultPlan {
  return ({ number }) => (number === k ? fault : undefined);
}

/**
 * Wraps a storage driver so that its calls fail as planned, for tests of code that must survive failures. It has
 * exactly the methods of the driver. `watch` and `close` have no faults and are not counted as calls.
 */
export function faultyStorage(driver: StorageDriver, plan: FaultPlan): FaultyStorage {
  let callCount = 0;
  return new Proxy(driver, {
    get(target, name) {
      if (name === "callCount") return callCount;
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      if (name === "watch") return member.bind(target) as unknown;
      const call = async (args: unknown[]): Promise<unknown> => await Reflect.apply(member, target, args);
      if (name === "close") return async () => await call([]);
      return async (...args: unknown[]) => {
        callCount += 1;
        const fault = plan({ number: callCount, method: String(name), args });
        return await withFault(fault, async () => await call(args));
      };
    },
  }) as FaultyStorage;
}

async function withFault(fault: StorageFault | undefined, call: () => Promise<unknown>): Promise<unknown> {
  if (fault === undefined) return await call();
  if (fault === "hang") return await new Promise(() => {});
  if (fault === "fail-before") throw unavailable();
  if (typeof fault === "object") await new Promise((resolve) => setTimeout(resolve, fault.delayMs));
  const result = await call();
  if (fault === "fail-after") throw unavailable();
  return fault === "corrupt" ? corrupted(result) : result;
}

/** Damages the records in the result of a storage call. Other results (numbers, booleans, null) stay unchanged. */
function corrupted(result: unknown): unknown {
  if (Array.isArray(result)) return result.map((entry: Listed) => damagedEntry(entry));
  return result !== null && typeof result === "object" ? damaged : result;
}

/**
 * An item of the array that a driver's call resolves to: an entry, an array of entries, or true for an inserted record.
 */
type Listed = StorageEntry | readonly StorageEntry[] | boolean;

function damagedEntry(entry: Listed): unknown {
  if (typeof entry === "boolean") return entry;
  return "key" in entry ? { ...entry, value: damaged } : corrupted(entry);
}

function unavailable(): TroupeError {
  return new TroupeError("storage_unavailable", "The storage failed, as planned by the test.");
}
