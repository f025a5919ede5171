import type { Evidence, Invariant } from "../evidence.ts";
import { riseSince } from "../probe.ts";

/** I6: what was taken is given back. */
export const backToBaseline: Invariant = {
  promise:
    "Resources return to their baseline within 2 s after the load: runs, sockets, tools, locks, timers, listeners, children, files.",
  needs: ["processes"],
  *breaches({ processes = [] }: Evidence) {
    for (const { name, before, after } of processes) {
      for (const [resource, rise] of Object.entries(riseSince(before, after))) {
        yield `${name} holds ${rise} more of ${resource} than before.`;
      }
      const warnings = after.listenerWarnings - before.listenerWarnings;
      if (warnings > 0) yield `${name} warned ${warnings} time(s) of too many listeners.`;
    }
  },
};
