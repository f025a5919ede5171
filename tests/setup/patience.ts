import { vi } from "vitest";

const { waitFor, waitUntil, getTimerCount } = vi;
const patience = { timeout: 30_000 };

/**
 * The timers of HTTP connections, by the names of their functions in undici. One that an earlier file of the worker has left
 * may set them whenever its socket ends, also while a test counts its own timers.
 */
const connectionTimers = new Set(["onParserTimeout", "onTick"]);

/** The clock of faked timers, as far as it is read here. */
type Clock = { readonly timers?: ReadonlyMap<unknown, { readonly func?: { readonly name: string } }> };

/** Returns the number of faked timers, without those of connections. */
function countTimers(): number {
  const { clock } = globalThis.setTimeout as { clock?: Clock };
  const names = [...(clock?.timers?.values() ?? [])].map(({ func }) => func?.name ?? "");
  return getTimerCount() - names.filter((name) => connectionTimers.has(name)).length;
}

// A machine may be slow: by default, waiting fails only after what cannot be slowness any more. Set once for each worker,
// whose files share `vi`.
if (!("isPatient" in vi)) {
  Object.assign(vi, {
    isPatient: true,
    waitFor: async (callback: () => unknown, options: object = patience) => await waitFor(callback, options),
    waitUntil: async (callback: () => unknown, options: object = patience) => await waitUntil(callback, options),
    getTimerCount: countTimers,
  });
}
