import { TroupeError } from "../errors/troupe-error.ts";

/** Things found by their registered name. */
export type Registry<Entry> = Readonly<Record<string, Entry>> | ReadonlyMap<string, Entry>;

/** What an error may repeat of a name that a stranger sent. */
const shownNameLength = 64;

/**
 * Finds what is registered under the name, or throws `not_found`. Only own keys count: a request for `constructor` or
 * `__proto__` finds nothing unless somebody registered it.
 */
export function findRunnable<Entry>(registry: Registry<Entry> | undefined, name: string, kind = "agent"): Entry {
  const entry = registry === undefined ? undefined : lookUp(registry, name);
  if (entry !== undefined) return entry;
  throw new TroupeError("not_found", `There is no ${kind} named ${JSON.stringify(name.slice(0, shownNameLength))}.`);
}

/** The names and what is registered under them, in the order of registration. */
export function registryEntries<Entry>(registry: Registry<Entry> | undefined): [name: string, entry: Entry][] {
  if (registry === undefined) return [];
  return isMap(registry) ? [...registry] : Object.entries(registry);
}

function lookUp<Entry>(registry: Registry<Entry>, name: string): Entry | undefined {
  if (isMap(registry)) return registry.get(name);
  return Object.hasOwn(registry, name) ? registry[name] : undefined;
}

function isMap<Entry>(registry: Registry<Entry>): registry is ReadonlyMap<string, Entry> {
  return registry instanceof Map;
}
