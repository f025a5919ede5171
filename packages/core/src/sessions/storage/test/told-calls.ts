import { faultyStorage } from "../../../testing/faulty-storage.ts";
import type { FaultPlan } from "../../../testing/faulty-storage.ts";
import type { StorageDriver, Write } from "../storage-driver.ts";

/** Wraps a driver, and notes its calls: each as its method with the namespace and key, or those of its writes. */
export function toldCalls(driver: StorageDriver, plan?: FaultPlan): { driver: StorageDriver; calls: string[] } {
  const calls: string[] = [];
  const noted = faultyStorage(driver, (call) => {
    const [first, second] = call.args;
    const places = Array.isArray(first)
      ? first.map(({ namespace, key, value }: Write) => `${value === null ? "-" : "+"}${namespace} ${key}`)
      : [`${String(first)} ${String(second)}`];
    calls.push(`${call.method} ${places.join(", ")}`);
    return plan?.(call);
  });
  return { driver: noted, calls };
}
