import { describe, expect, it } from "vitest";
import { TroupeError } from "../base/errors/troupe-error.ts";
import { ActiveRuns } from "./active-runs.ts";
import { ClientRun } from "./client-run.ts";
import type { ClientRunPolicy } from "./client-run.ts";

const ada = { userId: "ada" };
const disconnected = { code: "cancelled", message: "The client disconnected before the answer." };

/** A run of the user Ada, or of nobody, under way for a client. */
function begun(policy: ClientRunPolicy, { owner = ada, runId = "r" }: { owner?: object; runId?: string } = {}) {
  const active = new ActiveRuns();
  const run = new ClientRun(
    { opts: { runId, sessionId: "s", isNewSession: true, fromOutside: true, ...owner }, owner },
    active,
    policy,
  );
  return { active, run };
}

describe("a run for a client", () => {
  it("is active until it is over, and stays so only once", () => {
    const { active, run } = begun({ endsWithClient: true });
    expect([active.size, run.endsWithClient, run.signal.aborted]).toEqual([1, true, false]);
    run.end();
    run.end();
    expect([active.size, run.signal.aborted]).toEqual([0, false]);
    expect(active.cancel("r", ada)).toBe(false);
    expect(run.signal.aborted).toBe(false);
  });

  it("is cancelled by its id for its owner alone, with the reason as the error of the run", () => {
    const { active, run } = begun({ endsWithClient: false });
    for (const other of [{ userId: "bob" }, { userId: "ada", verified: false }, { ...ada, tenantId: "t" }, {}])
      expect(active.cancel("r", other)).toBe(false);
    expect(run.signal.aborted).toBe(false);
    expect(active.cancel("r", ada)).toBe(true);
    expect(run.signal.reason).toMatchObject({ code: "cancelled", message: "The run was cancelled on request." });
    expect(run.fail(new Error("the socket closed"))).toBe(run.signal.reason);
  });

  it("without a user is cancelled by all who know its id", () => {
    const { active, run } = begun({ endsWithClient: false }, { owner: {} });
    expect(active.cancel("q", {})).toBe(false);
    expect(active.cancel("r", ada)).toBe(true);
    expect(run.signal.aborted).toBe(true);
  });

  it.each([
    [true, true],
    [false, false],
  ])("that ends with its client, %s, is cancelled when that disconnects: %s", (endsWithClient, aborted) => {
    const { active, run } = begun({ endsWithClient });
    run.disconnect();
    expect(run.signal.aborted).toBe(aborted);
    expect(run.endsWithClient).toBe(endsWithClient);
    expect(active.size).toBe(1);
  });

  it("keeps the first reason of its end", () => {
    const { active, run } = begun({ endsWithClient: true });
    run.disconnect();
    active.cancel("r", ada);
    active.endAll();
    expect(run.signal.reason).toMatchObject(disconnected);
  });

  it("does not begin for a client that has left, if it ends with that, and is not counted", () => {
    const active = new ActiveRuns();
    const requested = {
      opts: { runId: "r", sessionId: "s", isNewSession: true, fromOutside: true as const },
      owner: {},
    };
    expect(() => new ClientRun(requested, active, { endsWithClient: true, hasLeft: true })).toThrow(
      expect.objectContaining(disconnected),
    );
    expect(active.size).toBe(0);
    expect(new ClientRun(requested, active, { endsWithClient: false, hasLeft: true }).signal.aborted).toBe(false);
    expect(new ClientRun(requested, active, { endsWithClient: true, hasLeft: false }).signal.aborted).toBe(false);
  });

  it("is ended by a shutdown, and refused while that drains", () => {
    const { active, run } = begun({ endsWithClient: false });
    void active.drain();
    active.endAll();
    expect(run.signal.reason).toMatchObject({ code: "unavailable", fields: { retryAfterMs: 1000 } });
    const late = { opts: { runId: "q", sessionId: "s", isNewSession: true, fromOutside: true as const }, owner: {} };
    expect(() => new ClientRun(late, active, { endsWithClient: true })).toThrow(
      expect.objectContaining({ code: "unavailable" }),
    );
  });

  it("fails with what was thrown as long as it is not cancelled", () => {
    const { run } = begun({ endsWithClient: true });
    const error = new TroupeError("model_failed", "No.");
    expect(run.fail(error)).toBe(error);
    expect(run.fail(new Error("sk-secret"))).toMatchObject({ code: "internal" });
    run.disconnect();
    expect(run.fail(error)).toBe(error);
    expect(run.fail(new Error("sk-secret"))).toMatchObject(disconnected);
  });
});
