import { ApiError } from "@troupe-internal/client";
import type { RunInfo, Wait } from "@troupe-internal/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { InspectedRunPage } from "../../src/inspector/inspected-run.ts";
import type { OpenRun } from "../chat/open-runs.ts";
import { Inbox } from "./inbox.ts";

const approval = (waitId: string): Wait => ({ waitId, kind: "approval", about: { toolName: "pay", args: {} } });

function runOf(runId: string, createdAt: number, waits: readonly Wait[] = [approval("w1")]): RunInfo {
  return { runId, kind: "agent", name: "clerk", sessionId: `s-${runId}`, status: "waiting", createdAt, waits };
}

const inspected = (runId: string, createdAt: number) =>
  ({
    ...runOf(runId, createdAt),
    openWaits: [approval("w1")],
    attempts: 1,
    question: `Où ${runId}?`,
  }) as InspectedRunPage["runs"][number];

const refusal = (status: number) => new ApiError({ code: "unauthorized", message: "Sign in." }, status);

type Given = {
  own?: RunInfo[] | Error;
  all?: InspectedRunPage | Error;
  started?: string[];
  next?: string;
};

/** Makes an inbox of a service that the test controls, and that writes down what it is asked. */
function inboxOf(given: Given) {
  const told: string[] = [];
  const sessions = { isListed: true };
  const api = {
    runs: async ({ status, limit }: { status?: string; limit?: number } = {}) => {
      told.push(`own ${status} ${limit}`);
      const { own = [], next } = given;
      if (own instanceof Error) throw own;
      return await Promise.resolve({ runs: own, ...(next !== undefined && { next }) });
    },
    run: async (runId: string) => {
      told.push(`run ${runId}`);
      if (runId === "gone") throw new ApiError({ code: "not_found", message: "Gone." }, 404);
      if (runId === "broken") throw new ApiError({ code: "internal", message: "Broken." }, 500);
      const status = runId === "over" ? "completed" : "waiting";
      return await Promise.resolve({ ...runOf(runId, 1), status, createdAt: 1 } as const);
    },
    answer: async (runId: string, waitId: string) => {
      told.push(`answer ${runId} ${waitId}`);
      if (waitId === "taken") throw new ApiError({ code: "conflict", message: "Taken." }, 409);
      await Promise.resolve();
    },
  };
  const { all } = given;
  const inspect = async () => {
    told.push("all");
    if (all instanceof Error || all === undefined) throw all ?? new Error("none");
    return await Promise.resolve(all);
  };
  const openRuns = { all: () => (given.started ?? []).map((runId) => ({ runId }) as OpenRun) };
  const inbox = new Inbox({ api, openRuns, sessions, inspect: all === undefined ? undefined : inspect });
  const ids = () => inbox.state.runs.map(({ runId, isOwn }) => [runId, isOwn]);
  return { inbox, told, given, sessions, ids };
}

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

describe("the inbox [page.inbox]", () => {
  it("has the waiting runs of the caller, newest first, and counts the questions that take answers", async () => {
    const sleep: Wait = { waitId: "z", kind: "sleep", about: {} };
    const event: Wait = { waitId: "e", kind: "event", about: {} };
    const kinds = ["approval", "input", "doubt", "upgrade", "question"] as const;
    const all = kinds.map((kind): Wait => ({ waitId: kind, kind, about: {} }));
    const { inbox, told } = inboxOf({ own: [runOf("old", 1, [...all, sleep]), runOf("new", 2, [event])], next: "n" });
    await inbox.load();

    expect(told).toEqual(["own waiting 50"]);
    expect(inbox.state).toMatchObject({ isListed: true, hasMore: true, isLoaded: true });
    expect(inbox.state.runs.map(({ runId }) => runId)).toEqual(["new", "old"]);
    expect(inbox.count).toBe(5);
  });

  it("has the runs of others that the inspector shows, and the whole arguments of own runs", async () => {
    const own = [runOf("a", 1, [{ ...approval("w1"), about: { args: { key: "whole" } } }])];
    const { inbox, ids } = inboxOf({ own, all: { runs: [inspected("b", 2), inspected("a", 1)], sees: "all" } });
    await inbox.load();

    expect(ids()).toEqual([
      ["b", false],
      ["a", true],
    ]);
    expect(inbox.state.runs[1]).toMatchObject({ question: "Où a?", waits: [{ about: { args: { key: "whole" } } }] });
  });

  it("asks the inspector once if that shows own runs alone, and a refusing list never again", async () => {
    const own = inboxOf({ own: [], all: { runs: [], sees: "own" } });
    const refused = inboxOf({ own: refusal(401), all: refusal(403), started: [] });
    const failing = inboxOf({ own: refusal(500), all: { runs: [], sees: "all" } });
    for (const { inbox } of [own, refused, failing]) for (let at = 0; at < 2; at++) await inbox.load();

    expect(own.told).toEqual(["own waiting 50", "all", "own waiting 50"]);
    expect(refused.told).toEqual(["own waiting 50", "all"]);
    expect(refused.inbox.state).toMatchObject({ isListed: false, isLoaded: true, failure: undefined });
    expect(failing.told).toEqual(["own waiting 50", "own waiting 50"]);
    expect(failing.inbox.state.failure).toBe("Sign in.");
  });

  it("has the runs that the tab has started for a caller without a user, and asks for no list", async () => {
    const { inbox, told, sessions, ids } = inboxOf({ started: ["a", "over", "gone"] });
    sessions.isListed = false;
    await inbox.load();

    expect(told).toEqual(["run a", "run over", "run gone"]);
    expect([ids(), inbox.state.isListed]).toEqual([[["a", true]], false]);
    const broken = inboxOf({ own: refusal(401), started: ["broken"] });
    await broken.inbox.load();
    expect(broken.inbox.state.failure).toBe("Broken.");
  });

  it("does not say of the runs of a service without users whose they are", async () => {
    const { inbox, ids } = inboxOf({ own: refusal(401), all: { runs: [inspected("b", 2)], sees: "all" } });
    await inbox.load();
    expect(ids()).toEqual([["b", undefined]]);
  });

  it("loses an answered question at once, also if a look that began before lists it, but not for ever", async () => {
    const { inbox, told, given } = inboxOf({ own: [runOf("a", 1, [approval("w1"), approval("w2")]), runOf("b", 2)] });
    await inbox.load();
    const looking = inbox.load();
    await inbox.answer("a", "w1", { approved: true });
    await looking;
    const waits = () => inbox.state.runs.map(({ runId, waits: left }) => [runId, ...left.map(({ waitId }) => waitId)]);
    expect(waits()).toEqual([
      ["b", "w1"],
      ["a", "w2"],
    ]);
    await inbox.answer("b", "w1", { approved: false });
    expect(waits()).toEqual([["a", "w2"]]);

    given.own = [runOf("a", 1)];
    vi.advanceTimersByTime(14_999);
    await inbox.load();
    expect(waits()).toEqual([]);
    vi.advanceTimersByTime(1);
    await inbox.load();
    // The service asks again: an upgrade that was tried in vain has the same id.
    expect(waits()).toEqual([["a", "w1"]]);
    expect(told.filter((line) => line.startsWith("answer"))).toEqual(["answer a w1", "answer b w1"]);
  });

  it("keeps a question whose answer was refused", async () => {
    const { inbox } = inboxOf({ own: [runOf("a", 1, [approval("taken")])] });
    await inbox.load();
    await expect(inbox.answer("a", "taken", {})).rejects.toThrow("Taken.");
    expect(inbox.count).toBe(1);
  });

  it("keeps what it has while the service cannot be reached, and looks once at a time", async () => {
    const { inbox, told, given } = inboxOf({ own: [runOf("a", 1)] });
    await Promise.all([inbox.load(), inbox.load(), inbox.load()]);
    expect(told).toHaveLength(1);
    given.own = new ApiError({ code: "network", message: "Not reached." });
    await inbox.load();
    expect(inbox.state).toMatchObject({ runs: [{ runId: "a" }], failure: "Not reached." });
    given.own = [];
    await inbox.load();
    expect(inbox.state).toMatchObject({ runs: [], failure: undefined });
  });
});
