import { createHttpPool, type HttpPool } from "./http-pool.ts";

// The one state that a module of core holds. Sockets are worth keeping only if all models of a process share them, and
// those models know nothing of each other. It is made at the first call, and gone after `close`.
let shared: HttpPool | undefined;

/** The pool that everything in this process shares unless it was given its own. Closing it makes room for a new one. */
export function sharedHttpPool(): HttpPool {
  shared ??= createSharedPool();
  return shared;
}

function createSharedPool(): HttpPool {
  const pool = createHttpPool();
  return {
    fetch: pool.fetch,
    close: () => {
      shared = undefined;
      return pool.close();
    },
  };
}
