import { describe, expect, it } from "vitest";
import type { RunEvent } from "@troupe-internal/client";
import { createConversation, FakeRun, held, refusal, storedTurn } from "./test/fake-conversation.ts";

const agent = { kind: "agent", name: "a" } as const;
const ask = (text: string) => ({ text, files: [] });
const finish: RunEvent = { type: "finish" };
const cancelled: RunEvent = { type: "error", error: { code: "cancelled", message: "Cancelled." } };

describe("a turn that is answered again", () => {
  it("deletes the stored turn also when its number was not known, and asks again", async () => {
    const { conversation, service } = createConversation();
    service.onTurns = () => Promise.reject(refusal(503));
    service.onStart = async () => {
      service.sessions.set("s", [storedTurn(1)]);
      return new FakeRun("r1", "s").send(finish).response;
    };
    await conversation.send(agent, ask("Q1"));
    const [turn] = conversation.state.turns;
    expect(turn?.seq).toBeUndefined();

    await conversation.regenerate(turn?.key ?? "");
    expect(conversation.state.failure).toBe("The service answered 503.");
    expect(service.started).toHaveLength(1);

    service.onTurns = async () => {};
    await conversation.regenerate(turn?.key ?? "", "Q2");
    expect(service.asked).toEqual(["remove s 1"]);
    expect(service.started[1]?.request).toMatchObject({ text: "Q2", sessionId: "s" });
  });

  it("is asked as it was stored, when this browser did not ask it", async () => {
    const { conversation, service } = createConversation();
    service.sessions.set("s", []);
    service.open.push({ runId: "r1", ...agent, sessionId: "s", status: "running" });
    service.onEvents = async () => new FakeRun("r1", "s").send(finish).response;
    await conversation.open("s");
    const file = { type: "file", mimeType: "text/plain", filename: "notes.txt", stored: { index: 1, bytes: 5 } };
    service.sessions.set("s", [storedTurn(1, { input: [{ type: "text", text: "Whole" }, file] })]);
    service.onStart = async () => new FakeRun("r2", "s").send(finish).response;
    await conversation.regenerate("r1");

    const { request } = service.started[0] ?? {};
    expect(request?.text).toBe("Whole");
    expect(request?.files.map(({ name }) => name)).toEqual(["notes.txt"]);
    expect(await request?.files[0]?.text()).toBe("s-1-1");
  });

  it("asks the service for no session if all turns are runs of workflows, which it does not store", async () => {
    const { conversation, service } = createConversation();
    let reads = 0;
    service.onTurns = async () => await Promise.resolve(void reads++);
    service.onStart = async () => new FakeRun("r1", "s").send(finish).response;
    await conversation.send({ kind: "workflow", name: "w" }, ask("Q1"));
    await conversation.regenerate(conversation.state.turns[0]?.key ?? "");

    expect(conversation.state.failure).toBeUndefined();
    expect([service.started.length, reads]).toEqual([2, 0]);
    await conversation.send(agent, ask("Q2"));
    expect(reads).toBe(1);
  });

  it("is not deleted when its question is not known as a whole", async () => {
    const { conversation, service, openRuns } = createConversation();
    service.sessions.set("s", []);
    openRuns.add({ runId: "r1", sessionId: "s", ...agent, text: "x".repeat(20_001), files: [] });
    service.onEvents = async () => new FakeRun("r1", "s").send(cancelled).response;
    await conversation.open("s");
    await conversation.regenerate("r1");

    expect(conversation.state.failure).toMatch(/not known here as a whole/);
    expect([service.asked, service.started]).toEqual([[], []]);
    expect(conversation.state.turns).toHaveLength(1);
  });

  it.each([
    [
      "a file of it is not there",
      { input: [{ type: "file", filename: "lost.txt" }] },
      /lost\.txt is not there any more/,
    ],
    ["its agent is not there any more", { runnable: "b" }, /^b cannot be asked any more/],
  ])("is not deleted when %s", async (_, fields, sentence) => {
    const { conversation, service } = createConversation();
    service.sessions.set("s", [storedTurn(1, fields)]);
    await conversation.open("s");
    await conversation.regenerate("r1");

    expect(conversation.state.failure).toMatch(sentence);
    expect([service.asked, service.started]).toEqual([[], []]);
    expect(conversation.state).toMatchObject({ isReplacing: false, turns: [{ seq: 1 }] });
  });

  it("is not deleted when turns follow that the page does not show", async () => {
    const { conversation, service } = createConversation();
    service.sessions.set("s", [storedTurn(1)]);
    await conversation.open("s");
    service.sessions.set("s", [storedTurn(1), storedTurn(2)]);
    await conversation.regenerate("r1");

    expect(conversation.state.failure).toMatch(/gone on elsewhere/);
    expect(service.asked).toEqual([]);
  });

  it("begins one run when it is demanded twice", async () => {
    const { conversation, service } = createConversation();
    service.sessions.set("s", [storedTurn(1)]);
    await conversation.open("s");
    service.onStart = async () => new FakeRun("r2", "s").send(finish).response;
    await Promise.all([
      conversation.regenerate("r1"),
      conversation.regenerate("r1"),
      conversation.send(agent, ask("Q")),
    ]);

    expect(service.started).toHaveLength(1);
    expect(conversation.state.turns).toHaveLength(1);
  });

  it("is left alone when the conversation is left before anything was deleted", async () => {
    const { conversation, service } = createConversation();
    service.sessions.set("s", [storedTurn(1)]);
    service.sessions.set("t", []);
    await conversation.open("s");
    const demanded = conversation.regenerate("r1");
    await conversation.open("t");
    await demanded;

    expect([service.asked, service.started]).toEqual([[], []]);
    expect(conversation.state).toMatchObject({ sessionId: "t", turns: [], isReplacing: false });
  });

  it("is asked in its own session when the conversation is left after the deletion", async () => {
    const { conversation, service, openRuns } = createConversation();
    service.sessions.set("s", [storedTurn(1)]);
    service.sessions.set("t", []);
    await conversation.open("s");
    const removed = held<void>();
    const isRemoving = held<void>();
    service.onRemove = async () => {
      isRemoving.resolve();
      await removed.promise;
    };
    service.onStart = async () => new FakeRun("r2", "s").response;
    const demanded = conversation.regenerate("r1");
    await isRemoving.promise;
    await conversation.open("t");
    removed.resolve();
    await demanded;

    expect(service.started[0]?.request).toMatchObject({ text: "Q1", sessionId: "s" });
    expect(openRuns.find("s")).toMatchObject({ runId: "r2" });
    expect(conversation.state).toMatchObject({ sessionId: "t", turns: [] });
  });

  it("has the fields of a workflow's form again, also after a reload, and those of a changed text", async () => {
    const { conversation, service } = createConversation();
    const fields = { city: "5", days: 2 };
    service.onStart = async () => new FakeRun("r1", "s").send(finish).response;
    await conversation.send({ kind: "workflow", name: "w" }, { text: "city: 5\ndays: 2", fields, files: [] });
    const again = async (text?: string) => await conversation.regenerate(conversation.state.turns[0]?.key ?? "", text);
    await again();
    await again("city: 6\ndays: 3");
    await again("Tell me.");
    await again();

    const asked = service.started.map(({ request }) => [request.text, request.fields]);
    expect(asked).toEqual([
      ["city: 5\ndays: 2", fields],
      ["city: 5\ndays: 2", fields],
      ["city: 6\ndays: 3", { city: "6", days: 3 }],
      ["Tell me.", undefined],
      ["Tell me.", undefined],
    ]);
  });

  it("has the fields of a workflow's form that the tab remembers of a run under way", async () => {
    const { conversation, service, openRuns } = createConversation();
    const run = { runId: "r1", sessionId: "s", kind: "workflow", name: "w", files: [] } as const;
    openRuns.add({ ...run, text: "city: Oslo", fields: { city: "Oslo" } });
    service.onEvents = async () => new FakeRun("r1", "s").send(finish).response;
    await conversation.open("s");
    service.onStart = async () => new FakeRun("r2", "s").send(finish).response;
    await conversation.regenerate("r1");

    expect(service.started[0]?.request.fields).toEqual({ city: "Oslo" });
    openRuns.add({ ...run, text: "x".repeat(20_001), fields: { city: "x".repeat(20_001) } });
    expect(openRuns.find("s")).not.toHaveProperty("fields");
  });
});
