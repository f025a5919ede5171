import { mkdirSync } from "node:fs";
import { createService } from "@troupe/core/service";
import type { ModelProvider, StorageDriver } from "@troupe/core";
import type { RunEngine } from "@troupe/core/runs";
import { BullMqEngine } from "@troupe/engine-bullmq";
import { SqliteStorage } from "@troupe/storage-sqlite";
import { PostgresStorage } from "@troupe/storage-postgres";
import { createHelper } from "./helper.ts";
import { model } from "./model.ts";

/**
 * Makes the service of all processes that share a queue. With `DATABASE_URL` the runs are in PostgreSQL, and any number
 * of workers share them. Without it they are in a file, for one worker.
 */
export function createAgents(used: ModelProvider = model) {
  const { storage, engine } = openQueue(process.env["DATABASE_URL"]);
  const service = createService({
    agents: { helper: createHelper(used, storage) },
    storage,
    // Requests that contain a key are refused, because the key would have to be stored, encrypted with a secret.
    durable: { sealKeys: false, ...(engine !== undefined && { engine }) },
  });
  void service.closed.then(async () => {
    await engine?.close();
    await storage.close();
  });
  return service;
}

function openQueue(connectionString: string | undefined): Queue {
  if (connectionString !== undefined && connectionString !== "") {
    return { storage: new PostgresStorage(connectionString), engine: new BullMqEngine({ connectionString }) };
  }
  mkdirSync(".data", { recursive: true });
  return { storage: new SqliteStorage(".data/runs.db") };
}

type Queue = { storage: StorageDriver; engine?: RunEngine & { close(): Promise<void> } };
