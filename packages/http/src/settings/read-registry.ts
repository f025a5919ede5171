import { TroupeError } from "@troupe/core";
import type { Runnable } from "@troupe/core";
import { registryEntries, wrongOption } from "@troupe/core/adapter";
import type { Registry } from "@troupe/core/adapter";
import type { ServedWorkflow } from "./router-options.ts";

const longestName = 128;

/** Takes agents or teams by their names; what cannot be run, or cannot be asked for by its name, is refused. */
export function readRunnables(registry: unknown, option: "agents" | "teams"): ReadonlyMap<string, Runnable> {
  return readRegistry(registry, option, (entry, place) => {
    if (!hasMethods(entry, "run", "stream"))
      throw wrongOption(place, "an agent, a team or anything else that runs", entry);
    if ("kind" in entry) return entry as Runnable;
    throw new TroupeError(
      "invalid_config",
      `${place} is a workflow: register it in workflows, or as workflow.asRunnable().`,
    );
  });
}

/** Takes workflows by their names. */
export function readWorkflows(registry: unknown): ReadonlyMap<string, ServedWorkflow> {
  return readRegistry(registry, "workflows", (entry, place) => {
    if (hasMethods(entry, "run", "stream", "asRunnable")) return entry as unknown as ServedWorkflow;
    throw wrongOption(place, "a Workflow (agents and teams have options of their own)", entry);
  });
}

type ReadEntry<Entry> = (entry: unknown, place: string) => Entry;

/** A copy: what is served is settled when the router is made. */
function readRegistry<Entry>(registry: unknown, option: string, read: ReadEntry<Entry>): ReadonlyMap<string, Entry> {
  if (registry !== undefined && (typeof registry !== "object" || registry === null || Array.isArray(registry))) {
    throw wrongOption(option, "an object or a Map, from names to what they stand for", registry);
  }
  const entries = registryEntries(registry as Registry<unknown> | undefined);
  return new Map(
    entries.map(([name, entry]) => [checkName(name, option), read(entry, `${option}[${JSON.stringify(name)}]`)]),
  );
}

/** A name is one segment of a path: proxies fold dots and split at slashes, also at encoded ones. */
function checkName(name: unknown, option: string): string {
  const isText = typeof name === "string" && name !== "" && name.length <= longestName && name.isWellFormed();
  if (isText && name !== "." && name !== ".." && !/[\p{Cc}/\\]/u.test(name)) return name;
  throw new TroupeError(
    "invalid_config",
    `${option} has a name that cannot stand in a path, ${JSON.stringify(name)}: a name has 1 to ${longestName} characters, ` +
      "is neither . nor .., and has no slash, backslash or control character.",
  );
}

function hasMethods(entry: unknown, ...methods: string[]): entry is object {
  if (typeof entry !== "object" || entry === null) return false;
  return methods.every((method) => typeof (entry as Record<string, unknown>)[method] === "function");
}
