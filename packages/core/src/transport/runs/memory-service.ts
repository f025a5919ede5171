import type { DurableWorkflow } from "../../runs/processes/run-service-options.ts";
import { RunService } from "../../runs/service/run-service.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Telemetry } from "../../base/telemetry/telemetry.ts";
import type { ServedRunnables } from "./durable-service.ts";

/** Stands for no limit: runs that are stored in this process do not wait for other runs. */
const unlimited = Number.MAX_SAFE_INTEGER;

/** Minimum milliseconds for which the events and the result of a run in memory are stored after its end. */
const leastStoredMs = 3_600_000;

/** Options of the runs that are stored in this process. */
export type MemoryServiceOptions = {
  /** Milliseconds after its end for which the events of a run stored in this process can be read again. */
  readonly resumeMs: number;
  readonly logger: Logger;
  /** Records the runs that are stored in this process. */
  readonly telemetry?: Telemetry | undefined;
};

/** Starts the service of the runs that outlive their connections and are stored only in this process. */
export function serveInMemory(
  { agents, teams, workflows }: ServedRunnables,
  { resumeMs, logger, telemetry }: MemoryServiceOptions,
): RunService {
  const storedMs = Math.max(resumeMs, leastStoredMs);
  const service = new RunService({
    agents,
    teams,
    workflows: (workflows ?? new Map()) as ReadonlyMap<string, DurableWorkflow>,
    admission: { maxQueued: unlimited, perCaller: unlimited },
    retention: { logMs: storedMs, recordMs: storedMs },
    logger,
    telemetry,
  });
  service.serve({ concurrency: unlimited }).catch((error: unknown) => {
    logger.error("Runs cannot be stored in this process.", { error });
  });
  return service;
}
