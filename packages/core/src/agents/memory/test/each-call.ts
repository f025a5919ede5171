import { drivers } from "../../../sessions/storage/test/drivers.ts";
import { FaultInjector, faults } from "../../../sessions/storage/test/fault-injector.ts";
import type { Fault } from "../../../sessions/storage/test/fault-injector.ts";
import type { StorageDriver } from "../../../sessions/storage/storage-driver.ts";

/** Every storage with every fault. */
export const faultCases = drivers.flatMap(([offer, create]) => faults.map((fault) => ({ offer, create, fault })));

/** One trial: `plan` arms the fault, and `signal` gives up on a call that hangs. */
export type Trial = { watched: FaultInjector; signal: AbortSignal; plan: () => void };

/**
 * Tries with the fault at the first call, then at the second, until it no longer comes to that; says how often it
 * struck.
 */
export async function forEachCall(
  { create, fault }: { create: () => StorageDriver; fault: Fault },
  scenario: (trial: Trial) => Promise<void>,
): Promise<number> {
  for (let atCall = 1; ; atCall++) {
    const watched = new FaultInjector(create());
    const abort = new AbortController();
    const plan = () => watched.plan({ fault, atCall, onHang: () => abort.abort() });
    await scenario({ watched, signal: abort.signal, plan });
    if (!watched.hasStruck) return atCall - 1;
  }
}

/** Does it, with the fault in the way; when that fails, lets the storage work again and repeats it. */
export async function untilDone(
  { watched, signal, plan }: Trial,
  work: (signal?: AbortSignal) => Promise<unknown>,
): Promise<void> {
  plan();
  const isDone = await work(signal).then(
    () => true,
    () => false,
  );
  const repeated = isDone ? undefined : work();
  watched.disarm();
  await repeated;
}
