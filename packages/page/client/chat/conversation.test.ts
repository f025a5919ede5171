import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RunEvent } from "@troupe-internal/client";
import type { Conversation } from "./conversation.ts";
import { createConversation, createMemory, FakeRun, held, refusal, storedTurn } from "./test/fake-conversation.ts";

const agent = { kind: "agent", name: "a" } as const;
const workflow = { kind: "workflow", name: "w" } as const;
const ask = (text: string) => ({ text, files: [] });
const text = (piece: string): RunEvent => ({ type: "text", text: piece });
const finish: RunEvent = { type: "finish" };
const cancelled: RunEvent = { type: "error", error: { code: "cancelled", message: "Cancelled." } };

// A browser that is online again at once: pauses between attempts take no time.
beforeEach(() => {
  vi.stubGlobal("addEventListener", (_: string, goOn: () => void) => queueMicrotask(goOn));
  vi.stubGlobal("removeEventListener", () => {});
});
afterEach(() => void vi.unstubAllGlobals());

/** Waits until a conversation is in some state. */
async function until(conversation: Conversation, isReached: () => boolean): Promise<void> {
  if (isReached()) return;
  await new Promise<void>((resolve) => {
    const leave = conversation.subscribe(() => {
      if (!isReached()) return;
      leave();
      resolve();
    });
  });
}

describe("a conversation that is opened", () => {
  it("follows a run whose session has no turn yet, as that of a workflow", async () => {
    const { conversation, service, openRuns, told } = createConversation();
    openRuns.add({ runId: "r1", sessionId: "s", ...workflow, text: "Go.", files: [] });
    service.onEvents = async () =>
      new FakeRun("r1", "s").send({ type: "step_start", step: "look" }, { type: "finish" }).response;
    await conversation.open("s");

    expect(conversation.state.failure).toBeUndefined();
    expect(conversation.state.turns).toMatchObject([{ name: "w", status: "completed", question: { text: "Go." } }]);
    // The service has stored nothing of it, but the tab has.
    expect(conversation.state.turns[0]?.isUnstored).toBe(true);
    expect(conversation.state.sessionId).toBe("s");
    expect(told).toEqual(["over"]);
    expect(openRuns.all()).toEqual([]);
  });

  it("follows the queued first run of an agent that another browser has begun", async () => {
    const { conversation, service } = createConversation();
    service.open.push({ runId: "r1", ...agent, sessionId: "s", status: "queued" });
    service.onEvents = async () => {
      service.sessions.set("s", [storedTurn(1)]);
      return new FakeRun("r1", "s").send(text("Hello."), finish).response;
    };
    await conversation.open("s");

    expect(conversation.state).toMatchObject({ sessionId: "s", turns: [{ seq: 1, parts: [{ text: "Hello." }] }] });
    expect(conversation.state.turns[0]?.question).toEqual({ text: "Q1", files: [] });
  });

  it("asks for no turn of a workflow, which is never stored", async () => {
    const { conversation, service } = createConversation();
    service.onTurns = () => Promise.reject(refusal(500));
    service.onStart = async () => new FakeRun("r1", "s").send(finish).response;
    await conversation.send(workflow, ask("Go."));

    expect(conversation.state.turns).toMatchObject([{ status: "completed", isUnstored: true }]);
    expect(conversation.state.sessionId).toBe("s");
  });

  it("leaves the address of a session of which nothing is stored, neither by the service nor by the tab", async () => {
    const { conversation, service, told } = createConversation(undefined, createMemory({ isRefusing: true }));
    service.onStart = async () => new FakeRun("r1", "s").send(finish).response;
    await conversation.send(workflow, ask("Go."));

    expect(conversation.state.sessionId).toBeUndefined();
    expect(told).toEqual(["begun s Go.", "moved s", "over", "moved away"]);
  });

  it("says that a session is not stored, and leaves its address", async () => {
    const { conversation, told } = createConversation();
    await conversation.open("gone");

    expect(conversation.state.failure).toMatch(/^This chat is not stored\./);
    expect(conversation.state).toMatchObject({ turns: [], isLoading: false });
    expect(told).toEqual(["moved away"]);
  });

  it("tries again when the service is away for a moment, and keeps the run in mind", async () => {
    const { conversation, service } = createConversation();
    service.sessions.set("s", []);
    service.open.push({ runId: "r1", ...agent, sessionId: "s", status: "running" });
    let tries = 0;
    service.onEvents = async () => {
      if (++tries === 1) throw refusal(503);
      return new FakeRun("r1", "s").send(text("Hello."), finish).response;
    };
    await conversation.open("s");

    expect(tries).toBe(2);
    expect(conversation.state.turns).toMatchObject([{ status: "completed", parts: [{ text: "Hello." }] }]);
  });

  it("shows the stored turn when the events of its run are not there any more", async () => {
    const { conversation, service, openRuns } = createConversation();
    openRuns.add({ runId: "r1", sessionId: "s", ...agent, text: "Q", files: [] });
    service.onEvents = async () => {
      service.sessions.set("s", [storedTurn(1)]);
      throw refusal(410, "gone");
    };
    await conversation.open("s");

    expect(conversation.state.turns).toMatchObject([{ status: "completed", seq: 1, parts: [{ text: "Answer 1" }] }]);
  });

  it("says so when nothing is left of a run", async () => {
    const { conversation, openRuns } = createConversation();
    openRuns.add({ runId: "r1", sessionId: "s", ...agent, text: "Q", files: [] });
    await conversation.open("s");

    expect(conversation.state.turns).toMatchObject([
      { status: "failed", isUnstored: true, failure: { message: "The answer of this run is not there any more." } },
    ]);
    expect(openRuns.all()).toEqual([]);
  });
});

describe("a question", () => {
  it("is sent again with the same key when the connection breaks before the answer", async () => {
    const { conversation, service } = createConversation();
    service.onStart = async () => {
      if (service.started.length === 1) throw refusal(0, "network");
      service.sessions.set("s", [storedTurn(1)]);
      return new FakeRun("r1", "s").send(text("Hello."), finish).response;
    };
    await conversation.send(agent, ask("Q1"));

    const [first, second] = service.started;
    expect(service.started).toHaveLength(2);
    expect(second?.key).toBe(first?.key);
    expect(conversation.state.turns).toMatchObject([{ status: "completed", seq: 1 }]);
  });

  it("is not sent again when the service refuses it", async () => {
    const { conversation, service } = createConversation();
    service.onStart = () => Promise.reject(refusal(503));
    await conversation.send(agent, ask("Q1"));

    expect(service.started).toHaveLength(1);
    expect(conversation.state.turns).toMatchObject([{ status: "failed", isUnstored: true }]);
  });

  it("begins its run also when the conversation is left meanwhile, and the run is remembered", async () => {
    const { conversation, service, openRuns, told } = createConversation();
    const answer = held<Response>();
    service.onStart = async () => await answer.promise;
    const sent = conversation.send(agent, ask("Q1"));
    conversation.clear();
    answer.resolve(new FakeRun("r1", "s").response);
    await sent;

    expect(openRuns.find("s")).toMatchObject({ runId: "r1", text: "Q1" });
    expect(told).toEqual(["begun s Q1"]);
    expect(conversation.state).toMatchObject({ turns: [] });
    expect(conversation.state.sessionId).toBeUndefined();
  });

  it("is refused while another one is answered", async () => {
    const { conversation, service } = createConversation();
    service.onStart = async () => new FakeRun("r1", "s").response;
    void conversation.send(agent, ask("Q1"));
    await conversation.send(agent, ask("Q2"));
    await until(conversation, () => conversation.state.sessionId === "s");

    expect(conversation.state.turns).toHaveLength(1);
    expect(service.started).toHaveLength(1);
  });
});

describe("a turn that is over", () => {
  it("is marked as not stored when it was stopped and the service stored nothing", async () => {
    const { conversation, service } = createConversation();
    service.sessions.set("s", [storedTurn(1)]);
    await conversation.open("s");
    service.onStart = async () => new FakeRun("r2", "s").send(text("Half"), cancelled).response;
    await conversation.send(agent, ask("Q2"));

    const [first, second] = conversation.state.turns;
    expect(second).toMatchObject({ status: "cancelled", isUnstored: true, parts: [{ text: "Half" }] });
    expect(first?.isUnstored).toBeUndefined();
    expect(conversation.state.sessionId).toBe("s");
  });

  it("has its number when the service stored what an interrupted run did", async () => {
    const { conversation, service } = createConversation();
    service.onStart = async () => {
      service.sessions.set("s", [storedTurn(1, { status: "interrupted" })]);
      return new FakeRun("r1", "s").send(text("Half"), cancelled).response;
    };
    await conversation.send(agent, ask("Q1"));

    expect(conversation.state.turns).toMatchObject([{ status: "cancelled", seq: 1 }]);
    expect(conversation.state.turns[0]?.isUnstored).toBeUndefined();
  });

  it("is not marked when it could not be found out", async () => {
    const { conversation, service } = createConversation();
    service.onTurns = () => Promise.reject(refusal(503));
    service.onStart = async () => new FakeRun("r1", "s").send(text("Half"), cancelled).response;
    await conversation.send(agent, ask("Q1"));

    expect(conversation.state.turns[0]?.isUnstored).toBeUndefined();
    expect(conversation.state.sessionId).toBe("s");
  });

  it("does not run again when a question of it is answered too late", async () => {
    const { conversation, service } = createConversation();
    const run = new FakeRun("r1", "s").send({ type: "wait", waitId: "w", kind: "approval", about: {} });
    service.onStart = async () => run.response;
    const sent = conversation.send(agent, ask("Q1"));
    await until(conversation, () => conversation.state.turns[0]?.status === "waiting");
    run.send(cancelled);
    await sent;
    await conversation.answer(conversation.state.turns[0]?.key ?? "", "w", { approved: true });

    expect(conversation.state.turns[0]?.status).toBe("cancelled");
  });

  it("keeps the identity of all others", async () => {
    const { conversation, service } = createConversation();
    service.sessions.set("s", [storedTurn(1), storedTurn(2)]);
    await conversation.open("s");
    const before = conversation.state.turns;
    service.onStart = async () => new FakeRun("r3", "s").send(text("a"), text("b"), finish).response;
    await conversation.send(agent, ask("Q3"));

    expect(conversation.state.turns.slice(0, 2).every((turn, index) => turn === before[index])).toBe(true);
  });
});

describe("events of a run", () => {
  it("keep a question whose answer was refused, and tell the form of it", async () => {
    const { conversation, service } = createConversation();
    service.onStart = async () => {
      const run = new FakeRun("r1", "s");
      run.send({ type: "wait", waitId: "w", kind: "approval", about: {} } as never);
      return await Promise.resolve(run.response);
    };
    void conversation.send(agent, ask("Q"));
    await vi.waitFor(() => expect(conversation.state.turns[0]?.status).toBe("waiting"));
    const key = conversation.state.turns[0]?.key ?? "";
    const refused = vi.spyOn(service, "answer").mockRejectedValue(refusal(409));
    await expect(conversation.answer(key, "w", {})).rejects.toThrow("The service answered 409.");
    await conversation.answer("another turn", "w", {});

    expect(refused).toHaveBeenCalledTimes(1);
    expect(conversation.state.turns[0]?.status).toBe("waiting");
    conversation.clear();
  });

  it("are shown after a question of another session was answered and that session was left", async () => {
    const { conversation, service } = createConversation();
    const first = new FakeRun("r1", "s").send({ type: "wait", waitId: "w", kind: "approval", about: {} });
    const second = new FakeRun("r2", "t");
    service.onStart = async ({ text: asked }) => (asked === "Q1" ? first.response : second.response);
    void conversation.send(agent, ask("Q1"));
    await until(conversation, () => conversation.state.turns[0]?.status === "waiting");
    const answered = held<void>();
    service.answer = async () => await answered.promise;
    const answering = conversation.answer(conversation.state.turns[0]?.key ?? "", "w", { approved: true });
    conversation.clear();
    const sent = conversation.send(agent, ask("Q2"));
    await until(conversation, () => conversation.state.sessionId === "t");
    second.send(text("Hello."));
    // The event is there, and waits for the next change of the page.
    await new Promise((pass) => setTimeout(pass, 0));
    answered.resolve();
    await answering;
    second.send(finish);
    await sent;

    expect(conversation.state.turns).toMatchObject([{ parts: [{ text: "Hello." }] }]);
  });
});
