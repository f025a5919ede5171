import { vi } from "vitest";
import { plainSteps } from "../../run/run-steps.ts";
import type { RunSteps } from "../../run/run-steps.ts";
import { resolveRunOpts } from "../../run/resolve-run-opts.ts";
import type { RunSettings } from "../../run/run-options.ts";
import { testRun } from "../../run/test/test-run.ts";
import type { OpenSession } from "../../../sessions/session/open-session.ts";
import type { SessionStore } from "../../../sessions/session/session-store.ts";
import { RunSession } from "../run-session.ts";

/** The owner of the session. */
export const owner = { userId: "ann", tenantId: "acme" };
const opts = { sessionId: "s", ...owner };

/** The session of a run, and what happens to it, in order. An attempt makes the run durable. */
export function sceneOf(
  more: Partial<RunSettings> = {},
  durable?: { attempt?: number },
  session: Partial<OpenSession> = {},
) {
  const events: unknown[][] = [];
  const note =
    (name: string) =>
    async (...args: unknown[]) => {
      await Promise.resolve();
      events.push([name, ...args]);
    };
  const { attempt = 1 } = durable ?? {};
  const own = {
    ...plainSteps,
    durable: { runId: "r1", attempt },
    isResumed: attempt > 1,
    flush: note("flush"),
    step: (key: string, _kind: string, work: () => unknown) => void events.push(["done", key, work()]),
  } as unknown as RunSteps;
  const settings = { ...resolveRunOpts(opts), ...more, ...(durable && { steps: own, runId: "r1" }) };
  const run = testRun({}, { settings });
  const warn = vi.spyOn(run, "warn");
  const opened = {
    appendTurn: async (turn: unknown) => await note("append")(turn).then(() => 7),
    loadTurnsWithoutData: async (...args: unknown[]) => await note("load")(...args).then(() => []),
    release: () => events.push(["release"]),
    madeTitle: false,
    ...session,
  } as unknown as OpenSession;
  const open = vi.fn<SessionStore["open"]>(async () => await Promise.resolve(opened));
  const store = { open, noteWait: note("noteWait"), endWait: note("endWait") } as unknown as SessionStore;
  const names = () => events.map(([name]) => name);
  return { run, warn, store, open, events, names, session: new RunSession(run) };
}
