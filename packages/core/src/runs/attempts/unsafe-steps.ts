import type { Logger } from "../../base/log/logger.ts";
import { readProperty } from "../../base/util/read-property.ts";
import type { PlannedStep } from "../../agents/workflow/workflow-step.ts";
import type { Registries } from "./durable-target.ts";

/**
 * Warns about function steps of workflows that do not declare the effect of a repeated call. If the process ends during
 * such a step, the run waits for a person, which its author may not expect.
 */
export function warnOfUnsafeSteps({ workflows }: Registries, logger: Logger): void {
  const entries = workflows instanceof Map ? [...workflows] : Object.entries(workflows ?? {});
  const names = entries.flatMap(([workflow, target]) => functionSteps(target).map((step) => `${workflow}/${step}`));
  if (names.length === 0) return;
  logger.warn(
    `The function steps ${names.join(", ")} have no effect, so a run whose process ends during one waits for an answer. ` +
      'Give each effect: "pure" or "idempotent" to call it again, or "once" to be asked.',
  );
}

function functionSteps(workflow: unknown): string[] {
  const planned = readProperty(workflow, "plannedSteps");
  const steps = (Array.isArray(planned) ? planned : []) as PlannedStep[];
  return steps.flatMap(({ name, kind, effect }) => (kind === "function" && effect === undefined ? [name] : []));
}
