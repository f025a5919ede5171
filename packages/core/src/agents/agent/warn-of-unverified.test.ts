import { describe, expect, it, vi } from "vitest";
import { EventBus } from "../../base/events/event-bus.ts";
import type { AgentUserMemory } from "../memory/agent-user-memory.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { RunOpts } from "../run/run-options.ts";
import { testRun } from "../run/test/test-run.ts";
import type { SessionStore } from "../../sessions/session/session-store.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { AgentParts } from "./agent-parts.ts";
import { warnOfUnverified } from "./warn-of-unverified.ts";
import { attemptOpts } from "../run/test/attempt-opts.ts";

const claimed: RunOpts = attemptOpts({ userId: "ann", tenantId: "acme", verified: false, fromOutside: true });

/** An agent over a storage of its own, with so many sessions of each verified user and these facts. */
function agentOf({ sessions = 0, facts }: { sessions?: number; facts?: string } = {}, storage = new InMemoryStorage()) {
  const listSessions = vi.fn<SessionStore["listSessions"]>(
    async () => await Promise.resolve({ sessions: Array.from({ length: sessions }) } as never),
  );
  const tracked: Promise<unknown>[] = [];
  const getContextString = vi.fn<AgentUserMemory["getContextString"]>(async () => await Promise.resolve(facts ?? ""));
  const userMemory = facts === undefined ? undefined : { getContextString };
  const eventBus = new EventBus<RunEvents>();
  const warnings: RunEvents["run.warning"][] = [];
  eventBus.on("run.warning", (warning) => void warnings.push(warning));
  const store = { listSessions, track: (work: Promise<unknown>) => void tracked.push(work) };
  const parts = { config: { userMemory }, storage, sessions: store, eventBus } as unknown as AgentParts;
  const look = async (opts: RunOpts = claimed) => {
    warnOfUnverified(parts, testRun(opts));
    await Promise.all(tracked);
  };
  return { look, listSessions, getContextString, warnings, tracked, storage };
}

describe("warnOfUnverified", () => {
  it.each<[what: string, opts: RunOpts]>([
    ["is verified", attemptOpts({ ...claimed, verified: true })],
    ["is of the program", attemptOpts({ ...claimed, fromOutside: false })],
    ["is nobody", attemptOpts({ fromOutside: true })],
  ])("looks at no user who %s", async (_, opts) => {
    const { look, listSessions, tracked } = agentOf({ sessions: 1, facts: "Facts." });
    await look(opts);

    expect(listSessions).not.toHaveBeenCalled();
    expect(tracked).toEqual([]);
  });

  it("looks for one session, then for facts, of the verified user of that name in the tenant", async () => {
    const { look, listSessions, getContextString, warnings } = agentOf({ facts: "" });
    await look();

    expect(listSessions.mock.calls).toEqual([[{ tenantId: "acme", userId: "ann" }, { limit: 1 }]]);
    expect(getContextString.mock.calls).toEqual([["acme/ann", { tenantId: "acme" }]]);
    expect(warnings).toEqual([]);
  });

  it.each<[what: string, found: { sessions?: number; facts?: string }, reads: number]>([
    ["a session", { sessions: 1, facts: "" }, 0],
    ["facts", { facts: "Lives in Oslo." }, 1],
  ])("warns once for a storage of a user with %s, without the name and the run", async (_, found, reads) => {
    const { look, getContextString, warnings, listSessions, storage } = agentOf(found);
    const other = agentOf(found, storage);
    await look();
    await look();
    await other.look();

    expect(warnings).toEqual([
      {
        code: "user_unverified",
        message: expect.stringMatching(/^A request names a user without proof, .* set bodyUserId: "trusted"\.$/),
      },
    ]);
    expect([listSessions.mock.calls.length, getContextString.mock.calls.length]).toEqual([1, reads]);
    expect(other.warnings).toEqual([]);
    const elsewhere = agentOf(found);
    await elsewhere.look();
    expect(elsewhere.warnings).toHaveLength(1);
  });

  it("warns once of two runs that end at the same time", async () => {
    const { look, warnings, listSessions } = agentOf({ sessions: 1 });
    await Promise.all([look(), look()]);

    expect(listSessions).toHaveBeenCalledTimes(2);
    expect(warnings).toHaveLength(1);
  });

  it("looks at fifty runs of a storage, and no more", async () => {
    const { look, listSessions } = agentOf();
    for (let run = 0; run < 52; run++) await look();

    expect(listSessions).toHaveBeenCalledTimes(50);
  });

  it("says nothing when it cannot look", async () => {
    const { look, listSessions, warnings } = agentOf();
    listSessions.mockRejectedValueOnce(new Error("down"));

    await expect(look()).resolves.toBeUndefined();
    expect(warnings).toEqual([]);
  });
});
