import { TroupeError } from "../../base/errors/troupe-error.ts";
import { readProperty } from "../../base/util/read-property.ts";
import type { RunService } from "../../runs/service/run-service.ts";
import type { ServiceRules } from "./service-options.ts";

/** Throws for a workflow that waits for answers or events, unless the run service runs it. */
export function refuseUnrunnable({ agents, teams, workflows }: ServiceRules, runs: RunService | undefined): void {
  const registries = [
    ["agent", agents],
    ["team", teams],
    ["workflow", workflows],
  ] as const;
  for (const [kind, registry] of registries) {
    for (const [name, served] of registry) {
      const step = readProperty(served, "waitingStep");
      if (typeof step !== "string" || runs?.find(kind, name) === served) continue;
      const place = `The ${kind} ${JSON.stringify(name)}: the step ${JSON.stringify(step)}`;
      throw new TroupeError(
        "invalid_config",
        `${place} waits for an answer or an event, which needs a RunService. Give durable: true with a storage, or runs: ` +
          `new RunService({ ${kind}s: { … } }), which needs no storage. That RunService must have the ${kind} under the same name.`,
      );
    }
  }
}
