import { methodsOption } from "../../base/errors/option-checks.ts";
import { wrongOption } from "../../base/errors/read-options.ts";
import type { OptionCheck } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { registryEntries } from "../../agents/run/registry.ts";
import type { Registry } from "../../agents/run/registry.ts";
import type { Runnable } from "../../agents/run/runnable.ts";
import type { Workflow } from "../../agents/workflow/workflow.ts";

/** A workflow that a transport serves: the used part of a `Workflow` with any type of state. */
export type ServedWorkflow = Pick<Workflow<object>, "name" | "description" | "eventBus" | "run" | "stream"> &
  Partial<Pick<Workflow<object>, "initialState" | "inputKinds" | "inputSchema" | "plannedSteps" | "readsText">>;

const longestName = 128;

const workflowLike = methodsOption<ServedWorkflow & { asRunnable(): Runnable }>(
  "a Workflow (agents and teams have options of their own)",
  "run",
  "stream",
  "asRunnable",
);
const runnableLike = methodsOption<Runnable>("an agent, a team or another Runnable", "run", "stream");

/**
 * Option check for `agents` and `teams` of a transport. Returns a copy by name, empty for undefined. Throws
 * `invalid_config` for an entry that cannot run, for a workflow, and for a name that cannot be a segment of a path.
 */
export const readRunnables: OptionCheck<ReadonlyMap<string, Runnable>> = registryOf((entry, name, where) => {
  const runnable = runnableLike(entry, name, where);
  if ("kind" in runnable) return runnable;
  const mend = "Register it in workflows, or as workflow.asRunnable().";
  throw new TroupeError("invalid_config", `${name} is a workflow. ${mend}`);
});

/**
 * Option check for `workflows` of a transport. Returns a copy by name, empty for undefined. Throws `invalid_config` for
 * an entry that is not a workflow, and for a name that cannot be a segment of a path.
 */
export const readWorkflows: OptionCheck<ReadonlyMap<string, ServedWorkflow>> = registryOf(workflowLike);

/**
 * Makes the option check for a registry, such as `agents`. The check returns a copy of the registry, so that later
 * changes of the registry have no effect.
 */
function registryOf<Entry>(check: OptionCheck<Entry>): OptionCheck<ReadonlyMap<string, Entry>> {
  return (registry, option, where) => {
    if (registry !== undefined && (typeof registry !== "object" || registry === null || Array.isArray(registry))) {
      throw wrongOption({ ...where, name: option }, "an object or a Map of entries by name", registry);
    }
    const entries = registryEntries(registry as Registry<unknown> | undefined);
    return new Map(
      entries.map(([name, entry]) => [
        checkName(name, option),
        check(entry, `${option}[${JSON.stringify(name)}]`, where),
      ]),
    );
  };
}

/**
 * Checks that a name can be a single segment of a path: proxies resolve dots and split at slashes, even encoded
 * slashes.
 */
function checkName(name: unknown, option: string): string {
  const isSegment = typeof name === "string" && name !== "" && name.length <= longestName && name.isWellFormed();
  if (isSegment && name !== "." && name !== ".." && !/[\p{Cc}/\\]/u.test(name)) return name;
  throw new TroupeError(
    "invalid_config",
    `The name ${JSON.stringify(name)} in ${option} cannot be a segment of a path. Expected 1 to ${longestName} characters ` +
      "other than slash, backslash and control characters, and neither . nor ..",
  );
}
