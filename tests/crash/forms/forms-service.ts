// A process that serves and performs durable runs of a workflow with steps of all forms: the only one over SQLite, or one of
// several over PostgreSQL. It opens its storage when it is told to.
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { createLogger } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { BullMqEngine } from "@troupe/engine-bullmq";
import { createAgentRouter } from "@troupe/http";
import { PostgresStorage } from "@troupe/storage-postgres";
import { SqliteStorage } from "@troupe/storage-sqlite";
import express from "express";
import pg from "pg";
import { CallsFile } from "./forms-setup.ts";
import type { FormsSetup } from "./forms-setup.ts";
import { makeSteps, workflowOf } from "./forms-steps.ts";

const { node, kind, address, port, effects } = JSON.parse(process.argv[2] ?? "{}") as FormsSetup;
const file = new CallsFile(effects);
const logger = createLogger({ level: "error", color: false });

function makeBacking() {
  if (kind === "sqlite") return { storage: new SqliteStorage(address) };
  const pool = new pg.Pool({ connectionString: address });
  return { storage: new PostgresStorage({ pool }), engine: new BullMqEngine({ pool, logger }) };
}

async function serve(): Promise<void> {
  // A call has its effect between two pauses, so that processes die before it and behind it.
  const { outer } = makeSteps(async (call) => {
    await sleep(30);
    file.append(call);
    await sleep(30);
  });
  const workflows = { forms: workflowOf("forms", outer) };
  const admission = { perCaller: 1000 };
  const runs = new RunService({ ...makeBacking(), workflows, node, logger, admission, sealKeys: false });
  await runs.serve({ concurrency: 100 });
  const server = createServer(express().use(createAgentRouter({ workflows, runs })));
  server.listen(port, "127.0.0.1", () => process.send?.({ serving: true }));
}

process.on("message", () => void serve());
process.send?.({ ready: true });
