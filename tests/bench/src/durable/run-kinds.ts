import { join } from "node:path";
import { Agent } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { SqliteStorage } from "@troupe/storage-sqlite";
import { PacedModel } from "./paced-model.ts";

/** The answers of the model: how many chunks, and milliseconds before each. */
export type Pace = { chunks: number; everyMs: number };

/** Runs an agent once and calls `onText` with each chunk of text as its reader gets it. */
export type RunOnce = (onText: (text: string) => void) => Promise<void>;

/** A kind of run: plain, whose agent stores its session, or durable. Both read the stream of the run to its end. */
export type RunKindName = "plain" | "durable";

const input = "Tell me something.";

/** Opens an SQLite file in a folder, as the storage ships, and returns one run of each kind on it. */
export async function openRuns(folder: string, pace: Pace): Promise<Record<RunKindName, RunOnce>> {
  const storage = new SqliteStorage(join(folder, "runs.db"));
  await storage.ping();
  const agent = new Agent({ name: "bench", model: new PacedModel(pace.chunks, pace.everyMs), storage });
  const service = new RunService({ storage, agents: { bench: agent } });
  await service.serve();
  return {
    plain: async (onText) => {
      for await (const chunk of agent.stream(input)) if (chunk.type === "text") onText(chunk.text);
    },
    durable: async (onText) => {
      const { runId } = await service.accept({ kind: "agent", name: "bench", input });
      for await (const event of service.events(runId, {})) {
        if (event.type === "chunk" && event.chunk.type === "text")
          onText((event.chunk as { text?: string }).text ?? "");
      }
    },
  };
}

/** Makes a number of runs, at most so many at a time. */
export async function makeRuns(run: () => Promise<void>, count: number, concurrency: number): Promise<void> {
  let left = count;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await run();
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
