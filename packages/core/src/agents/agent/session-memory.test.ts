import { describe, expect, it, vi } from "vitest";
import type { AddTurnOptions, OwnedScope, RecalledMemory } from "../memory/memory-options.ts";
import type { RecallingMemory } from "../memory/stand-in-memory.ts";
import type { AgentMemory } from "../memory/agent-memory.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import type { VendorState } from "../../model/vendor-state.ts";
import type { RunOpts } from "../run/run-options.ts";
import { testRun } from "../run/test/test-run.ts";
import type { OpenSession } from "../../sessions/session/open-session.ts";
import type { StoredTurn } from "../../sessions/session/turn-record.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { SessionMemory } from "./session-memory.ts";
import { answering } from "./test/agents.ts";
import { attemptOpts } from "../run/test/attempt-opts.ts";

const user = (content: string): ChatMessage => ({ role: "user", content });
const answer = (content: string): ChatMessage => ({ role: "assistant", content });
const state: VendorState = { providerId: "v", modelId: "m", items: [1], stored: true };
const turn = (seq: number, more: Partial<StoredTurn> = {}) => {
  return { seq, input: `q${seq}`, messages: [answer(`a${seq}`)], ...more } as unknown as StoredTurn;
};

/** A session with these turns, of which those with these numbers are deleted. */
function sessionWith(turns: readonly StoredTurn[], deleted: readonly number[] = []) {
  const loadTurns = vi.fn<OpenSession["loadTurns"]>(async (count) => await Promise.resolve(turns.slice(-count)));
  const loadTurnsAt = vi.fn<OpenSession["loadTurnsAt"]>(
    async (numbers) => await Promise.resolve(turns.filter(({ seq }) => numbers.includes(seq))),
  );
  const loadTurnsWithoutData = vi.fn<OpenSession["loadTurnsWithoutData"]>(
    async (count) => await Promise.resolve(turns.slice(-count)),
  );
  const isDeleted = vi.fn<OpenSession["isDeleted"]>(async (seq) => await Promise.resolve(deleted.includes(seq)));
  const session = { loadTurns, loadTurnsAt, loadTurnsWithoutData, isDeleted } as unknown as OpenSession;
  return { session, loadTurns, loadTurnsAt };
}

/** A memory that recalls these in their order, the last one again and again, and the calls that it gets. */
function remembering(opts: RunOpts, ...recalls: Partial<RecalledMemory>[]) {
  const calls: unknown[][] = [];
  const left = [...recalls];
  const memory: RecallingMemory & { bindStorage: () => void } = {
    recall: async (...args) => {
      calls.push(["recall", ...args]);
      const next = (left.length > 1 ? left.shift() : left[0]) ?? {};
      return await Promise.resolve({ messages: [], context: "", through: 0, ...next });
    },
    addMessages: async (...args) => void calls.push(["add", ...(await Promise.resolve(args))]),
    clear: async (...args) => void calls.push(["clear", ...(await Promise.resolve(args))]),
    bindStorage: () => {},
  };
  const [run, storage, model] = [testRun(opts), new InMemoryStorage(), answering()];
  const parts = { memory: memory as unknown as AgentMemory, run, model, storage };
  return { memory: new SessionMemory(parts), calls, run, storage, model };
}

const opts = { sessionId: "s", userId: "ann", tenantId: "acme" };
const owner = { userId: "ann", tenantId: "acme" };

describe("recalling a session", () => {
  it("gives what the memory has, and asks with owner, storage and signal", async () => {
    const messages = [user("q1"), { ...answer("a1"), vendorState: state }];
    const { memory, calls, run, storage } = remembering(opts, { messages, context: "Long ago.", through: 1 });
    const { session, loadTurns, loadTurnsAt } = sessionWith([turn(1)]);

    expect(await memory.recall(session)).toStrictEqual({
      messages: [user("q1"), answer("a1")],
      context: "Long ago.",
      through: 1,
    });
    const scope = { ...owner, storage, signal: run.signal, takesSeed: true };
    expect(calls).toEqual([["recall", "s", expect.objectContaining(scope)]]);
    expect(loadTurns).not.toHaveBeenCalled();
    expect(loadTurnsAt).not.toHaveBeenCalled();
  });

  it.each<[opts: RunOpts, takesSeed: boolean]>([
    [{ sessionId: "s" }, true],
    [attemptOpts({ sessionId: "s", fromOutside: true }), false],
    [{}, false],
  ])("takes over what the program has added, for its own runs of a named session: %j", async (given, takesSeed) => {
    const { memory, calls } = remembering(given);
    await memory.recall(sessionWith([]).session);

    expect(calls).toMatchObject([["recall", expect.any(String), { takesSeed }]]);
  });

  it("adds the turns that it missed, each after the one before, and recalls again", async () => {
    const { memory, calls } = remembering(opts, { through: 1 }, { through: 3, context: "now" });
    const { session, loadTurns } = sessionWith([turn(1), turn(2), turn(3)]);

    expect(await memory.recall(session)).toEqual({ messages: [], context: "now", through: 3 });
    expect(calls).toMatchObject([
      ["recall", "s", {}],
      ["add", "s", [user("q2"), answer("a2")], { through: 2, after: 1 }],
      ["add", "s", [user("q3"), answer("a3")], { through: 3, after: 2 }],
      ["recall", "s", {}],
    ]);
    expect(loadTurns.mock.calls.map(([count]) => count)).toEqual([2]);
  });

  it("adds 200 missed turns at most, and none that was deleted between them", async () => {
    const turns = Array.from({ length: 300 }, (_, index) => turn(index + 101)).filter(({ seq }) => seq !== 350);
    const { memory, calls } = remembering(opts, { through: 0 });
    const { session, loadTurns } = sessionWith(turns);
    await memory.recall(session);
    const added = calls.filter(([name]) => name === "add").map((call) => (call[3] as { through: number }).through);

    expect(loadTurns.mock.calls.map(([count]) => count)).toEqual([200]);
    expect(added).toEqual(turns.slice(-200).map(({ seq }) => seq));
  });

  it("adds none that it has, where fewer are left than their numbers say", async () => {
    const { memory, calls } = remembering(opts, { through: 4 });
    await memory.recall(sessionWith([turn(3), turn(4), turn(7)]).session);

    expect(calls.filter(([name]) => name === "add")).toMatchObject([
      ["add", "s", [user("q7"), answer("a7")], { through: 7 }],
    ]);
  });

  it("begins anew when its last turn was deleted", async () => {
    const { memory, calls, run, storage } = remembering(opts, { through: 2, context: "old" }, { through: 0 });
    await memory.recall(sessionWith([turn(1)], [2]).session);

    expect(calls).toMatchObject([
      ["recall", "s", {}],
      ["clear", "s", { ...owner, storage, signal: run.signal, through: 0 }],
      ["recall", "s", {}],
      ["add", "s", [user("q1"), answer("a1")], { through: 1, after: 0 }],
      ["recall", "s", {}],
    ]);
  });

  it("asks no session for the last turn of a memory that knows no numbers", async () => {
    const { memory, calls } = remembering(opts, { through: Number.MAX_SAFE_INTEGER });
    await memory.recall(sessionWith([turn(1)], [Number.MAX_SAFE_INTEGER]).session);

    expect(calls.map(([name]) => name)).toEqual(["recall"]);
  });

  it("gives the state of vendors that is in the turns", async () => {
    const turns = [turn(1), turn(2, { vendorStates: [{ index: 0, state }] })];
    const messages = [user("q1"), answer("a1"), user("q2"), answer("a2")];
    const places = [{ seq: 2, fromEnd: 1 }];
    const { memory, run } = remembering(opts, { messages, through: 2, vendorStateTurns: places });
    const { session, loadTurnsAt } = sessionWith(turns);

    expect((await memory.recall(session)).messages).toEqual([
      ...messages.slice(0, 3),
      { ...answer("a2"), vendorState: state },
    ]);
    expect(loadTurnsAt.mock.calls).toEqual([[[2], run.signal]]);
  });
});

describe("adding a turn", () => {
  it("gives the memory all that a model call of its own needs", async () => {
    const given = { ...opts, apiKeys: { v: "k-v" } };
    const { memory, calls, run, storage, model } = remembering(given, { through: 4 });
    await memory.recall(sessionWith([turn(4)]).session);
    const begin = vi.spyOn(run.modelCalls, "begin");
    const warn = vi.spyOn(run, "warn");
    await memory.add({ history: [user("before")], input: "q5", messages: [answer("a5")] }, 5);
    await memory.add({ input: "q6", messages: [] }, 6);
    const [, , messages, options] = calls[1] as [string, string, unknown, OwnedScope<AddTurnOptions>];
    options.onUsage?.({ promptTokens: 1, completionTokens: 2, totalTokens: 3 });
    options.onModelCall?.(model);
    options.onWarning?.("code", "Message.", { a: 1 });

    expect(messages).toEqual([user("before"), user("q5"), answer("a5")]);
    expect(options).toMatchObject({ ...owner, through: 5, after: 4 });
    expect([options.storage, options.signal, options.logger, options.model]).toEqual([
      storage,
      run.signal,
      run.logger,
      model,
    ]);
    expect([options.apiKeyFor?.("v"), options.apiKeyFor?.("w")]).toEqual(["k-v", undefined]);
    expect(run.meter.total.totalTokens).toBe(3);
    expect(begin).toHaveBeenCalledWith(model);
    expect(warn).toHaveBeenCalledWith("code", "Message.", { a: 1 });
    expect(options).not.toHaveProperty("hasVendorState");
    expect(calls[2]).toMatchObject(["add", "s", [user("q6")], { through: 6, after: 5 }]);
  });

  it.each([
    [{ vendorStates: [state] }, true],
    [{ refusedStates: new Set([state]) }, true],
    [{ vendorStates: undefined, refusedStates: undefined }, undefined],
  ])("says if it has state of vendors: %#", async (states, hasVendorState) => {
    const { memory, calls, run } = remembering(opts);
    const warn = vi.spyOn(run, "warn");
    await memory.add({ input: "q", messages: [], ...states }, 1);

    expect(calls.map(([, , , options]) => (options as AddTurnOptions).hasVendorState)).toEqual([hasVendorState]);
    expect(warn).not.toHaveBeenCalled();
  });

  it("warns of state that a memory of messages alone cannot keep", async () => {
    const addMessages = vi.fn<AgentMemory["addMessages"]>();
    const run = testRun(opts);
    const warn = vi.spyOn(run, "warn");
    const plain = { addMessages } as unknown as AgentMemory;
    const memory = new SessionMemory({ memory: plain, run, model: answering(), storage: undefined });
    await memory.add({ input: "q", messages: [], vendorStates: [state] }, 1);
    await memory.add({ input: "q", messages: [] }, 2);

    expect(warn.mock.calls).toEqual([
      ["state_not_replayed", "The memory keeps messages alone: results of the vendor's own tools do not go back."],
    ]);
    expect(addMessages).toHaveBeenCalledTimes(2);
  });

  it("does not count a turn that the memory failed to take in", async () => {
    const addMessages = vi.fn<AgentMemory["addMessages"]>().mockRejectedValueOnce(new Error("full"));
    const recall = async () => await Promise.resolve({ messages: [], context: "", through: 3 });
    const failing = { recall, bindStorage: () => {}, addMessages } as unknown as AgentMemory;
    const run = testRun(opts);
    const memory = new SessionMemory({ memory: failing, run, model: answering(), storage: undefined });

    await expect(memory.recall(sessionWith([turn(4)]).session)).rejects.toThrow("full");
    await memory.add({ input: "q", messages: [] }, 5);
    expect(addMessages.mock.calls.map(([, , options]) => options)).toMatchObject([
      { through: 4, after: 3 },
      { through: 5, after: 3 },
    ]);
  });
});
