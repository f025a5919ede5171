import { Agent } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { BullMqEngine } from "@troupe/engine-bullmq";
import { PostgresStorage } from "@troupe/storage-postgres";
import { PacedModel } from "../paced-model.ts";

/** The kinds of runs: plain with a stored session, durable within one process, or durable over BullMQ. */
export const postgresRunKinds = ["plain", "LocalEngine", "BullMQ"] as const;

/** A kind of run on PostgreSQL. */
export type PostgresRunKind = (typeof postgresRunKinds)[number];

const input = "Tell me something.";

/** Opens a PostgreSQL, and returns a run of an agent on it, whose stream is read to its end. */
export async function openPostgresRun(
  kind: PostgresRunKind,
  { url, chunks }: { url: string; chunks: number },
): Promise<() => Promise<void>> {
  const storage = new PostgresStorage(url);
  const agent = new Agent({ name: "bench", model: new PacedModel(chunks, 0), storage });
  if (kind === "plain") {
    return async () => {
      for await (const _chunk of agent.stream(input));
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
