import { registryEntries } from "../../agents/run/registry.ts";
import type { SessionListener } from "../../sessions/session/session-listener.ts";
import { readProperty } from "../../base/util/read-property.ts";
import type { Registries } from "../attempts/durable-target.ts";

/**
 * Adds a listener to the session stores of all runnables, including their members and steps. Returns the functions that
 * remove it.
 */
export function listenToSessions({ agents, teams, workflows }: Registries, listener: SessionListener): (() => void)[] {
  const stores = new Set<unknown>();
  for (const entries of [registryEntries(agents), registryEntries(teams), registryEntries<object>(workflows)]) {
    for (const [, target] of entries) addStores(stores, target);
  }
  return [...stores].flatMap((store) => {
    const add = readProperty(store, "addListener");
    return typeof add === "function" ? [Reflect.apply(add, store, [listener]) as () => void] : [];
  });
}

/** Collects the session stores of a runnable, and of the members or steps in it. */
function addStores(stores: Set<unknown>, target: unknown): void {
  const sessions = readProperty(target, "sessions");
  if (sessions !== undefined) stores.add(sessions);
  for (const name of ["members", "plannedSteps"]) {
    const parts = readProperty(target, name);
    if (Array.isArray(parts))
      for (const part of parts as unknown[]) addStores(stores, readProperty(part, "agent") ?? part);
  }
}
