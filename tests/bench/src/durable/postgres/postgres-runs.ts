import { randomUUID } from "node:crypto";
import { Agent } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { BullMqEngine } from "@troupe/engine-bullmq";
import { PostgresStorage } from "@troupe/storage-postgres";
import { PacedModel } from "../paced-model.ts";

/** The kinds of runs: plain with a stored session, durable within one process, or durable over BullMQ. */
export const postgresRunKinds = ["plain", "LocalEngine", "BullMQ"] as const;

/** A job of BullMQ without a run: the least that BullMQ costs. */
export const bareJob = "BullMQ alone";

/** A kind of run on PostgreSQL, or a job without a run. */
export type PostgresRunKind = (typeof postgresRunKinds)[number] | typeof bareJob;

const input = "Tell me something.";

/** Opens a PostgreSQL, and returns a run of an agent on it, whose stream is read to its end. */
export async function openPostgresRun(
  kind: PostgresRunKind,
  { url, chunks }: { url: string; chunks: number },
): Promise<() => Promise<void>> {
  if (kind === bareJob) return await openBareJobs(url);
  const storage = new PostgresStorage(url);
  const agent = new Agent({ name: "bench", model: new PacedModel(chunks, 0), storage });
  if (kind === "plain") {
    return async () => {
      await Array.fromAsync(agent.stream(input));
    };
  }
  const engine = kind === "BullMQ" ? new BullMqEngine({ connectionString: url }) : undefined;
  const service = new RunService({ storage, engine, agents: { bench: agent }, sealKeys: false });
  await service.serve({ concurrency: 100 });
  return async () => {
    const { runId } = await service.accept({ kind: "agent", name: "bench", input });
    let last;
    for await (const event of service.events(runId, "host")) last = event;
    if (last?.type !== "end" || last.error !== undefined) throw new Error("The run did not complete.");
  };
}

/** Returns a job that the engine performs, and that does nothing. */
async function openBareJobs(url: string): Promise<() => Promise<void>> {
  const engine = new BullMqEngine({ connectionString: url });
  const waiting = new Map<string, () => void>();
  await engine.serve(async ({ runId }) => waiting.get(runId)?.(), { concurrency: 100 });
  return async () => {
    const runId = randomUUID();
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.set(runId, resolve);
    await engine.submit({ runId, activation: 1 });
    await promise;
    waiting.delete(runId);
  };
}
