import { describe, expect, it } from "vitest";
import { Memory } from "../memory/memory.ts";
import { SessionStore } from "../../sessions/session/session-store.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { scriptedUsage } from "../../testing/scripted-answer.ts";
import { Agent } from "./agent.ts";

const sessionId = "s1";
const echo = () => new ScriptedModel().respond(({ messages }) => `Answer ${messages.length}`);
const contentsOf = (model: ScriptedModel, call: number) => model.calls[call]?.messages.map(({ content }) => content);

/** A memory whose writes fail as long as it is told to. */
class FailingMemory extends Memory {
  isFailing = false;

  override async addMessages(...args: Parameters<Memory["addMessages"]>): Promise<void> {
    if (this.isFailing) throw new Error("no room");
    await super.addMessages(...args);
  }
}

describe("an agent with a memory", () => {
  it("gives the model what the memory holds of the session [agent.memory]", async () => {
    const model = echo();
    const agent = new Agent({ name: "a", model, memory: new Memory({ maxShortTermMessages: 2 }) });
    for (const input of ["one", "two", "three"]) await agent.run(input, { sessionId });

    expect(contentsOf(model, 2)).toEqual(["two", "Answer 3", "three"]);
  });

  it("puts summaries of older turns behind the instructions, and counts their usage", async () => {
    const model = echo();
    const summarizer = new ScriptedModel().respond(() => "They spoke of numbers.");
    const memory = new Memory({ maxShortTermMessages: 2, enableLongTerm: true, model: summarizer });
    const agent = new Agent({ name: "a", model, instructions: "Be brief.", memory });
    const outputs = [];
    for (let index = 0; index < 8; index++) outputs.push(await agent.run(`number ${index}`, { sessionId }));

    const [prompt, addition] = contentsOf(model, 7) ?? [];
    expect(prompt).toBe("Be brief.");
    expect(addition).toContain("They spoke of numbers.");
    const total = outputs.reduce((sum, { usage }) => sum + usage.totalTokens, 0);
    expect(total).toBe((model.calls.length + summarizer.calls.length) * scriptedUsage.totalTokens);
  });

  it("answers although the memory fails to take in a turn, which it makes up for before the next", async () => {
    const model = echo();
    const memory = new FailingMemory();
    const agent = new Agent({ name: "a", model, memory });
    memory.isFailing = true;
    await agent.run("one", { sessionId });
    memory.isFailing = false;
    await agent.run("two", { sessionId });

    expect(contentsOf(model, 1)).toEqual(["one", "Answer 1", "two"]);
  });

  it("takes in the turns that the session had before it had a memory", async () => {
    const storage = new InMemoryStorage();
    const model = echo();
    await new Agent({ name: "a", model, storage }).run("one", { sessionId });
    await new Agent({ name: "b", model, storage, memory: new Memory() }).run("two", { sessionId });

    expect(contentsOf(model, 1)).toEqual(["one", "Answer 1", "two"]);
  });

  it("goes on remembering when its history is off", async () => {
    const model = echo();
    const memory = new Memory();
    const agent = new Agent({ name: "a", model, memory, addHistoryToMessages: false });
    for (const input of ["one", "two"]) await agent.run(input, { sessionId });

    expect(contentsOf(model, 1)).toEqual(["two"]);
    expect((await memory.getMessages(sessionId)).map(({ content }) => content)).toEqual([
      "one",
      "Answer 1",
      "two",
      "Answer 1",
    ]);
  });

  it("uses the agent's storage, and forgets a deleted session", async () => {
    const storage = new InMemoryStorage();
    const memory = new Memory({ storage: new InMemoryStorage() });
    const agent = new Agent({ name: "a", model: echo(), storage, memory });
    await agent.run("one", { sessionId });
    await agent.sessions.deleteSession(sessionId);

    expect(await memory.getMessages(sessionId)).toEqual([]);
    await expect(new SessionStore(storage).readSession(sessionId)).rejects.toMatchObject({ code: "not_found" });
  });

  it("begins again in a session that was deleted", async () => {
    const model = echo();
    const agent = new Agent({ name: "a", model, memory: new Memory() });
    for (const input of ["one", "two"]) await agent.run(input, { sessionId });
    await agent.sessions.deleteSession(sessionId);
    for (const input of ["three", "four"]) await agent.run(input, { sessionId });

    expect(contentsOf(model, 3)).toEqual(["three", "Answer 1", "four"]);
  });

  it("continues when the session was lost and its turns are counted from the beginning", async () => {
    const memory = new Memory({ storage: new InMemoryStorage() });
    const agentOver = (storage: InMemoryStorage) => new Agent({ name: "a", model: echo(), storage, memory });
    const before = agentOver(new InMemoryStorage());
    for (const input of ["one", "two"]) await before.run(input, { sessionId });
    const after = agentOver(new InMemoryStorage());
    for (const input of ["three", "four"]) await after.run(input, { sessionId });

    const said = (await memory.getMessages(sessionId)).filter(({ role }) => role === "user");
    expect(said.map(({ content }) => content)).toEqual(["one", "two", "three", "four"]);
  });

  it("keeps the tool calls of an interrupted run", async () => {
    const model = new ScriptedModel({ toolCalls: [{ name: "nothing" }] }, { error: new Error("broken") }, "Answer");
    const agent = new Agent({ name: "a", model, memory: new Memory() });
    await agent.run("one", { sessionId }).catch(() => undefined);
    await agent.run("two", { sessionId });

    expect(model.calls[2]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  });
});
