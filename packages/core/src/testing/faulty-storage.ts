import { TroupeError } from "../errors/troupe-error.ts";
import type { Json } from "../storage/json.ts";
import type { StorageDriver, StorageEntry } from "../storage/storage-driver.ts";

/**
 * What happens to a call: it fails before anything was done, is done and then fails (the answer got lost), never answers,
 * answers late, or answers with damaged records.
 */
export type StorageFault = "fail-before" | "fail-after" | "hang" | "corrupt" | { delayMs: number };

/** Which fault hits which call: counted from 1, or `undefined` for none. */
export type FaultPlan = (call: {
  number: number;
  method: string;
  args: readonly unknown[];
}) => StorageFault | undefined;

/** A storage with faults, and how many calls it has seen. */
export type FaultyStorage = StorageDriver & { readonly callCount: number };

/** What damaged records are replaced by: valid JSON that is no record of ours. */
const damaged: Json = { damaged: true };

/** Hits exactly the k-th call. */
export function faultAt(k: number, fault: StorageFault): FaultPlan {
  return ({ number }) => (number === k ? fault : undefined);
}

/**
 * Wraps a driver so that chosen calls go wrong. It has exactly the members its driver has; `close` is never disturbed.
 */
export function faultyStorage(driver: StorageDriver, plan: FaultPlan): FaultyStorage {
  let callCount = 0;
  return new Proxy(driver, {
    get(target, name) {
      if (name === "callCount") return callCount;
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
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

/** Records are damaged; answers that are no records (numbers, truth values, nothing) have nothing to damage. */
function corrupted(result: unknown): unknown {
  if (Array.isArray(result)) return result.map((entry: StorageEntry) => ({ ...entry, value: damaged }));
  return result !== null && typeof result === "object" ? damaged : result;
}

function unavailable(): TroupeError {
  return new TroupeError("storage_unavailable", "The storage failed, as planned by the test.");
}
