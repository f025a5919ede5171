import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RunEvent } from "@troupe-internal/client";
import { storedInMemory } from "../test/fake-services.ts";
import { KeptTurns } from "./kept-turns.ts";
import { createConversation, createMemory, FakeRun, refusal, storedTurn } from "./test/fake-conversation.ts";
import { newTurn } from "./turn.ts";
import type { Turn } from "./turn.ts";

const agent = { kind: "agent", name: "a" } as const;
const workflow = { kind: "workflow", name: "w" } as const;
const ask = (text: string) => ({ text, files: [] });
const half: RunEvent = { type: "text", text: "Hälfte" };
const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
const cancelled: RunEvent = { type: "error", error: { code: "cancelled", message: "Cancelled." } };
const failed: RunEvent = { type: "error", error: { code: "model_failed", message: "The model failed." } };

beforeEach(() => {
  vi.stubGlobal("addEventListener", (_: string, goOn: () => void) => queueMicrotask(goOn));
  vi.stubGlobal("removeEventListener", () => {});
});
afterEach(() => void vi.unstubAllGlobals());

describe("a chat after a reload", () => {
  it.each([
    ["was stopped", [agent, half, cancelled], { status: "cancelled", parts: [{ text: "Hälfte" }] }],
    ["failed", [agent, half, failed], { status: "failed", failure: { message: "The model failed." } }],
    [
      "was of a workflow",
      [
        workflow,
        { type: "step_start", step: "look" },
        { type: "step_end", step: "look", status: "completed", durationMs: 3 },
        { type: "finish", result: { state: { city: "Oslo" } } },
      ],
      { status: "completed", parts: [{ type: "step", name: "look", status: "completed" }, { type: "state" }] },
    ],
  ] as unknown as readonly [string, readonly [typeof agent, ...RunEvent[]], object][])(
    "has a run that %s between those that are stored, and asks on in its session [page.kept]",
    async (_, [runnable, ...events], expected) => {
      const { conversation, service, memory } = createConversation();
      service.sessions.set("s", [storedTurn(1)]);
      await conversation.open("s");
      service.onStart = async () => new FakeRun("r-half", "s").send(...events).response;
      await conversation.send(runnable, ask("Où?"));
      service.onStart = async () => {
        service.sessions.set("s", [storedTurn(1), storedTurn(2)]);
        return new FakeRun("r2", "s").send({ type: "finish" }).response;
      };
      await conversation.send(agent, ask("Q2"));

      const { conversation: reloaded } = createConversation(service, memory);
      await reloaded.open("s");

      const { turns, sessionId, failure } = reloaded.state;
      expect(turns.map(({ question }) => question.text)).toEqual(["Q1", "Où?", "Q2"]);
      expect(turns[1]).toMatchObject({ ...expected, isUnstored: true });
      expect([sessionId, failure]).toEqual(["s", undefined]);
    },
  );

  it("of workflows alone asks for no session, which the service does not have, until an agent answers in it [page.kept]", async () => {
    const { conversation, service, memory } = createConversation();
    let reads = 0;
    service.onTurns = async () => void (await Promise.resolve(reads++));
    const run = new FakeRun("r1", "s");
    service.onStart = async () => await Promise.resolve(run.response);
    void conversation.send(workflow, ask("Où?"));
    await vi.waitFor(() => expect(conversation.state.sessionId).toBe("s"));
    const reopened = async () => {
      const { conversation: other } = createConversation(service, memory);
      const before = reads;
      void other.open("s");
      await vi.waitFor(() => expect(other.state.turns).not.toEqual([]));
      return reads - before;
    };
    service.onEvents = async () => await Promise.resolve(new FakeRun("r1", "s").response);
    // In the middle of its first run, and after it.
    expect(await reopened()).toBe(0);
    run.send({ type: "finish", result: { state: {}, usage } });
    await vi.waitFor(() => expect(conversation.state.turns[0]?.status).toBe("completed"));
    expect(await reopened()).toBe(0);
    service.onStart = async () => {
      service.sessions.set("s", [storedTurn(1, { runId: "r2" })]);
      return await Promise.resolve(new FakeRun("r2", "s").send({ type: "finish" }).response);
    };
    await conversation.send(agent, ask("Q2"));
    expect(await reopened()).toBeGreaterThan(0);
  });

  it("has its only run, of which the service has stored nothing, until it is regenerated [page.kept]", async () => {
    const { conversation, service, memory } = createConversation();
    service.onStart = async () => new FakeRun("r1", "s").send(half, failed).response;
    await conversation.send(agent, ask("Q1"));
    const { conversation: reloaded } = createConversation(service, memory);
    await reloaded.open("s");
    expect(reloaded.state.turns).toMatchObject([{ status: "failed", question: { text: "Q1" } }]);

    service.onStart = async () => {
      service.sessions.set("s", [storedTurn(1, { runId: "r2" })]);
      return new FakeRun("r2", "s").send({ type: "finish" }).response;
    };
    await reloaded.regenerate(reloaded.state.turns[0]?.key ?? "");

    expect(service.started.at(-1)?.request).toMatchObject({ text: "Q1", sessionId: "s" });
    const { conversation: again } = createConversation(service, memory);
    await again.open("s");
    expect(again.state.turns).toMatchObject([{ status: "completed", seq: 1 }]);
    expect(memory.keptTurns.chats()).toEqual([]);
  });

  it("has a turn once when the service could not say that it has stored it [page.kept]", async () => {
    const { conversation, service, memory } = createConversation();
    service.onTurns = () => Promise.reject(refusal(503));
    service.onStart = async () => new FakeRun("r1", "s").send({ type: "finish" }).response;
    await conversation.send(agent, ask("Q1"));
    service.onTurns = async () => {};
    service.sessions.set("s", [storedTurn(1)]);
    const { conversation: reloaded } = createConversation(service, memory);
    await reloaded.open("s");

    expect(reloaded.state.turns).toMatchObject([{ seq: 1 }]);
  });
});

/** A turn that was stopped. */
function stopped(key: string, fields: Partial<Turn> = {}): Turn {
  const question = { text: `Frage ${key}`, files: [] };
  const turn = newTurn({ key, kind: "agent", name: "a", question, startedAt: 5 });
  return { ...turn, status: "cancelled", runId: `r-${key}`, parts: [{ type: "text", text: "é" }], ...fields };
}

describe("kept turns", () => {
  it("are those that are over and have no number, without files of this page", () => {
    const kept = new KeptTurns(storedInMemory());
    const file = new File(["x"], "é.txt", { type: "text/plain" });
    const question = { text: "Q", files: [{ name: "é.txt", type: "text/plain", file }] };
    const turns = [stopped("1", { seq: 1 }), stopped("2", { question }), stopped("3", { status: "running" })];

    expect(kept.keep("s", turns)).toBe(true);
    const [, second, ...others] = kept.addTo("s", turns.slice(0, 1));
    expect(others).toEqual([]);
    expect(second?.question.files).toEqual([{ name: "é.txt", type: "text/plain" }]);
    expect(second).not.toHaveProperty("startedAt");
    expect(kept.addTo("other", [])).toEqual([]);
    expect(kept.keep("none", [])).toBe(false);
  });

  it("are the text of an answer that is too long, and the newest of many", () => {
    const stored = storedInMemory();
    const kept = new KeptTurns(stored);
    const tool = { type: "tool", id: "c", name: "t", args: "{}", outcome: { result: "x".repeat(60_000) } } as const;
    kept.keep("long", [stopped("1", { parts: [{ type: "text", text: "é".repeat(30_000) }, tool] })]);
    expect(kept.addTo("long", [])[0]?.parts).toEqual([{ type: "text", text: `${"é".repeat(19_999)}…` }]);
    const question = { text: "w".repeat(60_000), fields: { a: "w".repeat(60_000) }, files: [] };
    kept.keep("asked", [stopped("2", { question })]);
    expect(kept.addTo("asked", [])[0]?.question).toEqual({
      text: `${"w".repeat(19_999)}…`,
      isPartial: true,
      files: [],
    });

    const now = vi.spyOn(Date, "now");
    const parts = [{ type: "text" as const, text: "x".repeat(50_000) }];
    for (let at = 0; at < 40; at++) {
      now.mockReturnValue(9e12 + at);
      kept.keep(`s${at}`, [stopped(String(at), { parts })]);
    }
    now.mockRestore();
    expect(JSON.stringify(stored.value).length).toBeLessThan(1_510_000);
    expect(kept.addTo("s39", [])).toHaveLength(1);
    expect(kept.addTo("s0", [])).toEqual([]);
  });

  it("name the chats of which there is an answer, and forget those that are deleted", () => {
    const kept = new KeptTurns(storedInMemory());
    kept.keep("s", [stopped("1"), stopped("2")]);
    kept.keep("refused", [stopped("3", { parts: [], status: "failed" })]);
    expect(kept.chats()).toMatchObject([{ sessionId: "s", title: "Frage 1" }]);
    expect(kept.addTo("refused", [])).toHaveLength(1);

    kept.forget("s");
    expect(kept.chats()).toEqual([]);
  });

  it.each([["a text"], [[{}]], [[{ sessionId: "s", behind: 0, at: 0, turn: { key: "k", parts: "no" } }]]])(
    "are none where the browser has %j",
    (value) => {
      const stored = storedInMemory();
      stored.value = value;
      expect(new KeptTurns(stored).addTo("s", [])).toEqual([]);
    },
  );
});

it("a tab that refuses to store keeps no turn", () => {
  const { keptTurns } = createMemory({ isRefusing: true });
  expect(keptTurns.keep("s", [stopped("1")])).toBe(false);
  expect(keptTurns.chats()).toEqual([]);
});
