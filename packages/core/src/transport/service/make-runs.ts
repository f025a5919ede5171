import type { DurableWorkflow } from "../../runs/processes/run-service-options.ts";
import { RunService } from "../../runs/service/run-service.ts";
import type { ServiceRules } from "./service-options.ts";

/**
 * Makes the run service of the option `durable`; undefined if runs are not durable. The function has its own file, so
 * that protocols can read the options without loading the code of durable runs.
 */
export function makeRuns(rules: ServiceRules): RunService | undefined {
  const { agents, teams, durable, schedules, storage, webhooks, logger, telemetry } = rules;
  if (durable === undefined) return undefined;
  const workflows = rules.workflows as ReadonlyMap<string, DurableWorkflow>;
  const { storage: own = storage, engine, sealKeys } = durable;
  const admission = { schedulesPerUser: schedules?.maxPerUser };
  const served = { agents, teams, workflows, storage: own, engine, sealKeys };
  return new RunService({ ...served, admission, webhooks, telemetry, logger });
}
