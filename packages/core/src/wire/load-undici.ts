import type * as Undici from "undici";

/** Under which undici and the built-in `fetch` share a process's own way to the network. */
const builtInFetch = Symbol.for("undici.globalDispatcher.1");

/**
 * Loads undici when it is first needed. On Node 22 its import takes over the dispatcher of the built-in `fetch`; one
 * that the host has set, such as a proxy, is put back.
 */
export async function loadUndici(): Promise<typeof Undici> {
  const hosts: unknown = Reflect.get(globalThis, builtInFetch);
  const undici = await import("undici");
  if (hosts !== undefined) Reflect.set(globalThis, builtInFetch, hosts);
  return undici;
}
