import type { Evidence, Invariant } from "../evidence.ts";

/** I7: nothing but a kill ends the process. */
export const staysAlive: Invariant = {
  promise: "The pid stays the same unless the fault was a kill, and nothing goes uncaught.",
  needs: ["processes"],
  *breaches({ processes = [] }: Evidence) {
    for (const { name, before, after, killed = false } of processes) {
      const isSame = before.pid === after.pid;
      if (!isSame && !killed) yield `${name} died: its pid was ${before.pid} and is ${after.pid}.`;
      const uncaught = isSame ? after.uncaught - before.uncaught : after.uncaught;
      if (uncaught > 0) yield `${name} left ${uncaught} exception(s) or rejection(s) uncaught.`;
    }
  },
};
