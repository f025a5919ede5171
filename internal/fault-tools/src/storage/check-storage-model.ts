import assert from "node:assert/strict";
import { InMemoryStorage, TroupeError } from "@troupe/core";
import type { StorageDriver } from "@troupe/core";
import type { StorageStep } from "./storage-steps.ts";

/** How a driver is compared with the storage in memory. */
export type StorageModelOptions = {
  /** Gives an empty storage, which is closed when a sequence of calls has been played on it. */
  open: () => Required<StorageDriver> | Promise<Required<StorageDriver>>;
  /** How many sequences of calls are tried. @default 100 */
  numRuns?: number;
};

/**
 * Asserts that a driver answers any sequence of calls as the storage in memory does: with the same values, listings and
 * numbers, and with the same codes where it refuses.
 */
export async function checkStorageModel({ open, numRuns = 100 }: StorageModelOptions): Promise<void> {
  // Loaded only here: who imports the test kit for something else need not wait for it.
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

async function compare(storage: Required<StorageDriver>, steps: readonly StorageStep[]): Promise<void> {
  const model = new InMemoryStorage();
  for (const step of steps) {
    assert.deepEqual(await outcomeOf(storage, step), await outcomeOf(model, step), JSON.stringify(step));
  }
}

async function outcomeOf(storage: Required<StorageDriver>, { call, args }: StorageStep): Promise<unknown> {
  try {
    return { result: await (Reflect.apply(storage[call], storage, args) as Promise<unknown>) };
  } catch (error) {
    if (TroupeError.is(error)) return { code: error.code };
    throw error;
  }
}
