import { LocalEngine } from "../../processes/local-engine.ts";
import type { RunJob } from "../../processes/run-engine.ts";
import { readServiceOptions } from "../../processes/run-service-options.ts";
import type { RunServiceOptions } from "../../processes/run-service-options.ts";
import { makeServiceParts } from "../../processes/service-parts.ts";
import type { RunRecord } from "../../record/run-record.ts";
import type { RunRequest } from "../../record/run-view.ts";
import type { CountedCaller } from "../../../sessions/session/counted-caller.ts";
import { InMemoryStorage } from "../../../sessions/storage/in-memory-storage.ts";
import { defineTool } from "../../../agents/tool/define-tool.ts";
import { acceptRun } from "../accept-run.ts";
import { request, scriptedAgent } from "./services.ts";

/** Ids of two runs. */
export const [runId, other] = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"] as const;

export const sealKeys = ["s".repeat(32)];

const tool = defineTool({ name: "send", description: "Sends.", parameters: { type: "object" }, execute: () => null });

/** An engine that keeps what it is submitted, and performs nothing. */
class Engine extends LocalEngine {
  readonly jobs: RunJob[] = [];
  readonly released: string[] = [];
  failure: Error | undefined;

  override async submit(job: RunJob): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    this.jobs.push(job);
  }

  override release(id: string): void {
    this.released.push(id);
    super.release(id);
  }
}

/** Makes all that accepts runs of an agent `a`, at the time 1000, for callers that have `open` runs. */
export function acceptance({
  isEphemeral = false,
  open = 0,
  ...options
}: Partial<RunServiceOptions> & { isEphemeral?: boolean; open?: number } = {}) {
  const storage = new InMemoryStorage();
  const settings = readServiceOptions({ agents: { a: scriptedAgent([], { tools: [tool] }) }, ...options });
  const parts = { ...makeServiceParts(settings, { storage, isAlone: true }), now: () => 1000 };
  const engine = new Engine();
  const admitted: [CountedCaller, number | undefined][] = [];
  const admit = async (caller: CountedCaller, bytes?: number) => (admitted.push([caller, bytes]), open);
  const accept = async (given: Partial<RunRequest> = {}) => {
    return await acceptRun({ parts, engine, isEphemeral, admit }, { ...request, ...given });
  };
  const read = async (id = runId): Promise<RunRecord | null> => (await storage.get("runs", id)) as RunRecord | null;
  return { storage, parts, engine, admitted, accept, read };
}
