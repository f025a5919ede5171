import assert from "node:assert/strict";
import { InMemoryStorage, TroupeError } from "@troupe/core";
import type { StorageDriver } from "@troupe/core";
import type { StorageStep } from "./storage-steps.ts";

type WholeDriver = Omit<Required<StorageDriver>, "watch">;

/** Options of `checkStorageModel`. */
export type StorageModelOptions = {
  /** Returns an empty storage, which is closed after one sequence of calls. */
  open: () => WholeDriver | Promise<WholeDriver>;
  /** Number of random call sequences. @default 100 */
  numRuns?: number;
};

/**
 * Asserts that a driver answers random sequences of calls like `InMemoryStorage`: with the same values, listings,
 * sequence numbers and error codes.
 */
export async function checkStorageModel({ open, numRuns = 100 }: StorageModelOptions): Promise<void> {
  // Imported only here, because fast-check is slow to import and most users of this package do not need it.
  const [fc, { storageSteps }] = await Promise.all([import("fast-check"), import("./storage-steps.ts")]);
  const property = fc.asyncProperty(storageSteps, async (steps) => {
    const storage = await open();
    try {
      await compare(storage, steps);
    } finally {
      await storage.close();
    }
  });
  await fc.assert(property, { numRuns });
}

async function compare(storage: WholeDriver, steps: readonly StorageStep[]): Promise<void> {
  const model = new InMemoryStorage();
  for (const step of steps) {
    assert.deepEqual(await outcomeOf(storage, step), await outcomeOf(model, step), JSON.stringify(step));
  }
}

async function outcomeOf(storage: WholeDriver, { call, args }: StorageStep): Promise<unknown> {
  try {
    return { result: await (Reflect.apply(storage[call], storage, args) as Promise<unknown>) };
  } catch (error) {
    if (TroupeError.is(error)) return { code: error.code };
    throw error;
  }
}
