import { onTestFinished } from "vitest";
import { RunService } from "../run-service.ts";
import type { RunServiceOptions } from "../../processes/run-service-options.ts";
import { SharedQueue } from "./shared-queue.ts";

/** Starts two processes of one service, which share their storage and their queue. */
export async function twoNodes(options: RunServiceOptions | (() => RunServiceOptions)) {
  const queue = new SharedQueue();
  const make = typeof options === "function" ? options : () => options;
  const [one, two] = ["one", "two"].map((node) => new RunService({ ...make(), ...queue.node(node) }));
  if (one === undefined || two === undefined) throw new Error("There are two.");
  for (const [node, service] of Object.entries({ one, two })) {
    await service.serve();
    // A killed one does not answer any more.
    onTestFinished(async () => void (queue.isKilled(node) || (await service.close())));
  }
  return { queue, one, two };
}

/** Returns the number of attempts in the log of a run. */
export async function attemptsIn({ storage }: SharedQueue, runId: string): Promise<number> {
  return JSON.stringify(await storage.list("run-log", `${runId}/`)).split('"t":"attempt"').length - 1;
}
