import { describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import type { ToolCallResult } from "../../base/message/tool-call.ts";
import type { VendorState } from "../../model/vendor-state.ts";
import type { RunSettings } from "../run/run-options.ts";
import type { OpenSession } from "../../sessions/session/open-session.ts";
import type { StoredTurn } from "../../sessions/session/turn-record.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { owner, sceneOf } from "./test/session-scene.ts";

const answer: ChatMessage = { role: "assistant", content: "Hi." };
const state = (modelId: string): VendorState => ({ providerId: "v", modelId, items: [1], stored: true });

const turnOf = (runId: string, seq = 5) => ({ runId, seq }) as unknown as StoredTurn;
const loading = (...turns: StoredTurn[]) => ({
  loadTurnsWithoutData: async (count: number) => await Promise.resolve(turns.slice(-count)),
});

describe("opening the session of a run", () => {
  it.each<[what: string, more: Partial<RunSettings>, isNew: boolean]>([
    ["named", {}, false],
    ["not named", { isNamedSession: false }, true],
  ])("waits for its lease as its owner, until the run ends: %s", async (_, more, isNew) => {
    const { run, store, open, session } = sceneOf(more);
    await session.open(store, "cancel");

    const { sessionId } = run.settings;
    const access = { owner: { ...owner, verified: true }, signal: run.signal, isNew, onWaiting: "cancel" };
    expect(open.mock.calls).toEqual([[sessionId, access]]);
    expect(open.mock.calls[0]?.[1]?.signal).toBe(run.signal);
  });

  it("names the attempt at a durable run", async () => {
    const { store, open, session } = sceneOf({}, { attempt: 3 });
    await session.open(store);

    expect(open.mock.calls[0]?.[1]).toMatchObject({ run: { runId: "r1", attempt: 3 } });
  });

  it("gives the lease back at once when the run has ended meanwhile", async () => {
    const { run, store, names, session } = sceneOf();
    const reason = new TroupeError("cancelled", "Over.");
    const opening = session.open(store);
    run.abort(reason);

    await expect(opening).rejects.toBe(reason);
    expect(names()).toEqual(["release"]);
  });

  it.each<[turns: StoredTurn[], isRefused: boolean]>([
    [[], false],
    [[turnOf("r1")], false],
    [[turnOf("r0"), turnOf("r1")], false],
    [[turnOf("r0")], true],
  ])("takes messages from before for its first turn alone", async (turns, isRefused) => {
    const { store, session } = sceneOf({ messages: [answer] }, {}, loading(...turns));
    const code = await session.open(store).then(
      () => undefined,
      (error: TroupeError) => [error.code, error.message],
    );

    const message = 'Session "s" has turns already. Leave out messages, or start a new session with them.';
    expect(code).toEqual(isRefused ? ["conflict", message] : undefined);
  });

  it("reads no turn without such messages", async () => {
    const { store, names, session } = sceneOf();
    await session.open(store);

    expect(names()).toEqual([]);
  });
});

const artifact = { type: "chart", data: 1 };
const called: ToolCallResult = { toolCallId: "c", toolName: "look", args: {}, result: "x", durationMs: 1 };
const large = { ...called, artifacts: [artifact, { type: "big", data: "x".repeat(1_048_576) }] };

describe("storing a finished run", () => {
  it("has what the run was and did, and nothing that is not there", async () => {
    const { run, store, events, session } = sceneOf();
    await session.open(store);
    run.meter.add({ promptTokens: 1, completionTokens: 2, totalTokens: 3 });

    expect(await session.saveFinished([answer])).toBe(7);
    const { total: usage } = run.meter;
    const turn = { runId: run.runId, runnable: "agent", input: "Hi", status: "completed", usage, messages: [answer] };
    expect(events).toStrictEqual([["append", turn]]);
  });

  it("has history, tool results, sources and states, each where there are any", async () => {
    const history: ChatMessage[] = [{ role: "user", content: "before" }];
    const { run, warn, store, events, session } = sceneOf({ messages: history });
    await session.open(store);
    run.toolCalls.push({ ...called, error: "It failed.", artifacts: [artifact] });
    run.addSource({ id: "s1" });
    run.vendorStates = new Map([[answer, state("m")]]);
    run.refusedStates = new Set([state("n"), state("n"), state("o")]);
    await session.saveFinished([answer]);
    const turn = events.find(([name]) => name === "append")?.[1];

    expect(turn).toMatchObject({
      history,
      toolResults: [{ toolCallId: "c", toolName: "look", error: "It failed.", artifacts: [artifact] }],
      sources: [{ id: "s1" }],
      vendorStates: [{ index: 0, state: state("m") }],
      refusedStates: [
        { providerId: "v", modelId: "n" },
        { providerId: "v", modelId: "o" },
      ],
    });
    expect((turn as StoredTurn).history).not.toBe(run.settings.messages);
    expect(warn).not.toHaveBeenCalled();
  });

  it("warns of what is too large for a turn, with the number of what is left out", async () => {
    const { run, warn, store, session } = sceneOf();
    await session.open(store);
    run.toolCalls.push(large, large);
    run.vendorStates = new Map([[answer, { ...state("m"), items: "x".repeat(2_097_152) }]]);
    const toolCalls = ["1", "2"].map((id) => ({ id, name: "look", arguments: { at: "x".repeat(4_194_304) } }));
    await session.saveFinished([{ role: "assistant", content: null, toolCalls }, answer]);

    expect(warn.mock.calls).toEqual([
      ["artifacts_not_stored", "Artifacts of tools were too large to be stored with the turn.", { leftOut: 2 }],
      [
        "state_not_stored",
        "Results of the vendor's own tools were too large to be stored with the turn.",
        { leftOut: 1 },
      ],
      ["arguments_not_stored", "Arguments of tool calls were too large to be stored with the turn.", { leftOut: 2 }],
    ]);
  });

  it("is a failure without a session", async () => {
    await expect(sceneOf().session.saveFinished([answer])).rejects.toMatchObject({
      code: "internal",
      message: "A turn cannot be stored without a session.",
    });
  });
});

describe("storing a durable run", () => {
  it("comes after the steps that led to its turn, and ends its wait", async () => {
    const { store, events, session } = sceneOf({}, {}, { waitingRun: "r1" });
    await session.open(store);

    expect(await session.saveFinished([answer])).toBe(7);
    expect(events).toEqual([
      ["flush"],
      ["append", expect.objectContaining({ runId: "r1", status: "completed" })],
      ["endWait", "s", "r1", { owner: { ...owner, verified: true } }],
    ]);
    expect(session.wasStored).toBe(false);
  });

  it("ends no wait of another run", async () => {
    const { store, names, session } = sceneOf({}, {}, { waitingRun: "r0" });
    await session.open(store);
    await session.saveFinished([answer]);

    expect(names()).toEqual(["flush", "append"]);
  });

  it("finds the turn that an earlier attempt has stored, among the newest fifty", async () => {
    const load = vi.fn<OpenSession["loadTurnsWithoutData"]>(
      async () => await Promise.resolve([turnOf("r0", 4), turnOf("r1", 5), turnOf("r2", 6)]),
    );
    const found = { loadTurnsWithoutData: load, waitingRun: "r1" };
    const { store, names, session } = sceneOf({}, { attempt: 2 }, found);
    await session.open(store);

    expect(await session.saveFinished([answer])).toBe(5);
    expect(load.mock.calls).toEqual([[50]]);
    expect(names()).toEqual(["endWait"]);
    expect(session.wasStored).toBe(true);
  });

  it("stores the turn in a second attempt that finds none", async () => {
    const { store, names, session } = sceneOf({}, { attempt: 2 }, loading(turnOf("r0")));
    await session.open(store);

    expect(await session.saveFinished([answer])).toBe(7);
    expect(names()).toEqual(["flush", "append"]);
    expect(session.wasStored).toBe(false);
  });

  it("keeps the turn among its steps where its session is in memory", async () => {
    const { store, events, names, session } = sceneOf({ sessionStorage: new InMemoryStorage() }, {});
    await session.open(store);

    expect(await session.saveFinished([answer])).toBe(7);
    expect(names()).toEqual(["append", "done"]);
    expect(events[1]).toEqual(["done", "s/turn", { sessionId: "s", turn: events[0]?.[1] }]);
  });
});

describe("storing a run that failed", () => {
  const toolCalls = [{ id: "c", name: "look", arguments: {} }];

  it("has what its tools did, and calls that are left", async () => {
    const { run, store, events, session } = sceneOf({}, {}, { waitingRun: "r1" });
    await session.open(store);
    run.unfinishedStep = { text: "", toolCalls, results: [] };
    await session.saveInterrupted();

    expect(events).toMatchObject([
      ["flush"],
      ["append", { status: "interrupted", toolResults: [{ toolCallId: "c", toolName: "look", error: "interrupted" }] }],
      ["endWait", "s", "r1", {}],
    ]);
    expect(events[1]).toMatchObject(["append", { messages: [{ role: "assistant", toolCalls }, { role: "tool" }] }]);
  });

  it("leaves nothing but the end of its wait when it has called no tool", async () => {
    const { run, store, names, session } = sceneOf({}, {}, { waitingRun: "r1" });
    await session.open(store);
    run.messages.push(answer);
    await session.saveInterrupted();

    expect(names()).toEqual(["endWait"]);
  });

  it("fails where the wait cannot be ended", async () => {
    const { store, session } = sceneOf({}, {}, { waitingRun: "r1" });
    Object.assign(store, { endWait: async () => await Promise.reject(new Error("down")) });
    await session.open(store);

    await expect(session.saveInterrupted()).rejects.toThrow("down");
    await expect(session.saveFinished([answer])).rejects.toThrow("down");
  });
});

describe("suspending a run", () => {
  it("notes in the session that it waits", async () => {
    const { store, events, session } = sceneOf({}, {});
    await session.open(store);
    await session.suspend();

    expect(events).toEqual([["noteWait", "s", "r1", { owner: { ...owner, verified: true } }]]);
  });

  it("notes nothing before the session is open, or in a plain run", async () => {
    const unopened = sceneOf({}, {});
    const plain = sceneOf();
    await plain.session.open(plain.store);
    await Promise.all([unopened.session.suspend(), plain.session.suspend()]);

    expect([unopened.names(), plain.names()]).toEqual([[], []]);
  });
});

it("RunSession gives its lease back, and tells if its turn made a title", async () => {
  const { store, names, session } = sceneOf({}, undefined, { madeTitle: true });
  session.release();
  expect([session.madeTitle, names()]).toEqual([false, []]);
  await session.open(store);
  session.release();

  expect([session.madeTitle, names()]).toEqual([true, ["release"]]);
});
