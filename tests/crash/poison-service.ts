// A process that performs durable runs: neighbours, which take some time, and poison runs, which kill the process in their
// model call. It opens its storage when it is told to.
import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "@troupe/core";
import type { ModelProvider, ModelResponse } from "@troupe/core";
import type { ModelChunk } from "@troupe/core/provider";
import { RunService } from "@troupe/core/runs";
import { PostgresStorage } from "@troupe/storage-postgres";
import { SqliteStorage } from "@troupe/storage-sqlite";
import type { BegunRuns, PoisonOrder, PoisonSetup } from "./poison-setup.ts";

/** Milliseconds of a neighbour's model call, and after which a poison run kills the process. */
const callMs = 1500;
const poisonMs = 300;

class SlowModel implements ModelProvider {
  readonly providerId = "slow";
  readonly modelId: "neighbour" | "poison";

  constructor(modelId: "neighbour" | "poison") {
    this.modelId = modelId;
  }

  async generate(): Promise<ModelResponse> {
    throw new Error("Only streams are asked for.");
  }

  async *stream(): AsyncGenerator<ModelChunk> {
    yield { type: "text", text: "One, " };
    await sleep(this.modelId === "poison" ? poisonMs : callMs);
    if (this.modelId === "poison") process.kill(process.pid, "SIGKILL");
    yield { type: "text", text: "two." };
    yield { type: "finish", finishReason: "stop", usage: { promptTokens: 1, completionTokens: 1, totalTokens: 2 } };
  }
}

const { kind, address } = JSON.parse(process.argv[2] ?? "{}") as PoisonSetup;

async function begin(names: PoisonOrder["begin"]): Promise<void> {
  const storage = kind === "sqlite" ? new SqliteStorage(address) : new PostgresStorage(address);
  const agents = {
    neighbour: new Agent({ name: "neighbour", model: new SlowModel("neighbour"), storage }),
    poison: new Agent({ name: "poison", model: new SlowModel("poison"), storage }),
  };
  const runs = new RunService({ storage, agents, sealKeys: false });
  await runs.serve({ concurrency: 100 });
  const accepted = await Promise.all(names.map((name) => runs.accept({ kind: "agent", name, input: "Go on." })));
  process.send?.({ begun: accepted.map(({ runId }) => runId) } satisfies BegunRuns);
}

process.on("message", (order: PoisonOrder) => void begin(order.begin));
process.send?.({ ready: true });
