import { TroupeError } from "../../base/errors/troupe-error.ts";

/** Runnables or other entries by the names under which a server offers them: a plain object or a `Map`. */
export type Registry<Entry> = Readonly<Record<string, Entry>> | ReadonlyMap<string, Entry>;

/** The maximum number of characters of a client's name that an error shows. */
const shownNameLength = 64;

/**
 * Returns the entry registered under the name, or throws `not_found`. Only own keys count: a request for `constructor`
 * or `__proto__` finds nothing unless such a name is registered.
 */
export function findRunnable<Entry>(registry: Registry<Entry> | undefined, name: string, kind = "agent"): Entry {
  const entry = lookUp(registry, name);
  if (entry !== undefined) return entry;
  throw new TroupeError(
    "not_found",
    `${capitalize(kind)} ${JSON.stringify(name.slice(0, shownNameLength))} not found.`,
  );
}

/** Returns the names and entries of a registry in the order of registration. */
export function registryEntries<Entry>(registry: Registry<Entry> | undefined): [name: string, entry: Entry][] {
  if (registry === undefined) return [];
  return isMap(registry) ? [...registry] : Object.entries(registry);
}

/** Returns the entry registered under the name; undefined if it is missing. */
export function lookUp<Entry>(registry: Registry<Entry> | undefined, name: string): Entry | undefined {
  if (registry === undefined) return undefined;
  if (isMap(registry)) return registry.get(name);
  return Object.hasOwn(registry, name) ? registry[name] : undefined;
}

function isMap<Entry>(registry: Registry<Entry>): registry is ReadonlyMap<string, Entry> {
  return registry instanceof Map;
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
