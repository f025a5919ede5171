// One process of a service on several machines, for trials that kill it: an API node or a worker, over PostgreSQL and, in
// some trials, Redis. It begins to serve when it is told to, and reports what the sweep does.
import { once } from "node:events";
import { createServer } from "node:http";
import { A2ARemoteAgent } from "@troupe/a2a";
import { Agent, createLogger, Team } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import type { RunEngine, RunJob } from "@troupe/core/runs";
import { BullMqEngine } from "@troupe/engine-bullmq";
import { createAgentRouter } from "@troupe/http";
import { openai } from "@troupe/providers-openai";
import { PostgresStorage } from "@troupe/storage-postgres";
import express from "express";
import { Redis } from "ioredis";
import pg from "pg";
import { EffectsFile } from "./effects-file.ts";
import { mutateEngine, mutateStorage } from "./node-mutants.ts";
import type { NodeOrder, NodeSetup, SweptRun } from "./node-setup.ts";
import { makeTools } from "./node-tools.ts";

const setup = JSON.parse(process.argv[2] ?? "{}") as NodeSetup;
const { role, node, port, postgres, redis, vendorUrl, clerkUrl, concurrency, mutant } = setup;
const logger = createLogger({ level: "warn", color: false });
const pool = new pg.Pool({ connectionString: postgres });
// The server is restarted now and then.
pool.on("error", () => {});
const client = redis === undefined ? undefined : new Redis(redis, { lazyConnect: true });
client?.on("error", () => {});

/** Reports to the parent the runs that the sweep submits, and whether the engine had a job for each. */
function reportSweeps(engine: RunEngine): RunEngine {
  const submit = engine.submit.bind(engine);
  engine.submit = async (job) => {
    // The sweep submits entries of the list of open runs.
    if ("submittedAt" in job) {
      const hadJob = await hasJob(job).catch(() => true);
      process.send?.({ swept: job.runId, hadJob, at: Date.now() } satisfies SweptRun);
    }
    await submit(job);
  };
  return engine;
}

async function hasJob({ runId, activation }: RunJob): Promise<boolean> {
  const name = `${runId}_${activation}`;
  if (client !== undefined) return (await client.exists(`bull:troupe:${name}`)) === 1;
  return (await pool.query("select 1 from bullmq.job where id = $1", [name])).rows.length > 0;
}

const storage = mutateStorage(new PostgresStorage({ pool }), mutant);
const engine = new BullMqEngine({ ...(redis === undefined ? { pool } : { redis }), logger });
const model = openai("gpt-4.1", { baseURL: `${vendorUrl}/v1`, api: "chat" });
const tools = makeTools({ effects: new EffectsFile(setup.effects), node, isDoubling: mutant === "doublingEffects" });
const agents = {
  talk: new Agent({ name: "talk", model, storage, numHistoryRuns: 3 }),
  act: new Agent({ name: "act", model, storage, tools, numHistoryRuns: 3 }),
};
const clerk = new A2ARemoteAgent({ url: clerkUrl, name: "clerk" });
const teams = { lead: new Team({ name: "lead", mode: "coordinate", model, members: [clerk], storage }) };
const runs = new RunService({
  storage,
  engine: reportSweeps(mutateEngine(engine, mutant)),
  agents,
  teams,
  node,
  logger,
  sealKeys: ["a secret of all processes of this service"],
});

async function serve(): Promise<void> {
  if (role === "worker") await runs.serve({ concurrency });
  else
    await once(
      createServer(express().use(createAgentRouter({ agents, teams, runs }))).listen(port, "127.0.0.1"),
      "listening",
    );
  process.send?.({ serving: true });
}

/** Serves as soon as the databases are there. */
async function serveInTime(): Promise<void> {
  for (;;) {
    try {
      return await serve();
    } catch (error) {
      logger.warn("The process cannot serve yet.", { error });
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

function block(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
  process.send?.({ unblocked: true });
}

process.on("message", (order: NodeOrder) => {
  if ("serve" in order) void serveInTime();
  else block(order.blockMs);
});
process.send?.({ ready: true });
