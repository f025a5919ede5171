import { randomUUID } from "node:crypto";
import type { Logger, StorageDriver } from "@troupe/core";
import type { RunEngine } from "@troupe/core/runs";
import type { StoreChoice } from "./read-stores.ts";

/** The chosen engine, the storage of the runs that it distributes, and a logger for failures that no caller sees. */
type EngineParts = { readonly choice: StoreChoice; readonly storage: StorageDriver; readonly logger: Logger };

/**
 * Imports and creates the engine through which several servers share their runs. Undefined if this process performs its
 * runs alone.
 */
export async function openEngine({ choice, storage, logger }: EngineParts): Promise<RunEngine | undefined> {
  if (choice.engine === undefined) return undefined;
  const { BullMqEngine } = await import("@troupe/engine-bullmq");
  const { kind, address } = choice.engine;
  const place = kind === "postgres" ? { connectionString: address.url } : { redis: address.url };
  return new BullMqEngine({ ...place, queue: `troupe-demo-${await serviceId(storage)}`, logger });
}

/**
 * Returns the id of the service to which this storage belongs, so that each of two services on one database performs
 * only its own runs.
 */
async function serviceId(storage: StorageDriver): Promise<string> {
  await storage.compareAndSet?.("demo", "service", null, randomUUID());
  return (await storage.get("demo", "service")) as string;
}

/** Describes the processes that perform the runs, and the database through which they share them. */
export function describeEngine({ engine, redis }: StoreChoice): string {
  if (engine === undefined) return "this process alone";
  const note = engine.kind === "postgres" && redis !== undefined ? "; Redis serves Socket.IO" : "";
  return `shared by all servers on ${engine.address.shown} (BullMQ${note})`;
}
