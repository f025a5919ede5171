import { letRun } from "@troupe-internal/interleavings";
import { describe, expect, it, vi } from "vitest";
import type { ChatMessage } from "../../base/message/message.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Agent } from "./agent.ts";
import { attemptOpts } from "../run/test/attempt-opts.ts";

const sessionId = "s1";
const echo = () => new ScriptedModel().respond(({ messages }) => `Answer ${messages.length}`);
const contentsOf = (model: ScriptedModel, call: number) => model.calls[call]?.messages.map(({ content }) => content);

/** A memory as a reader of the specification would write it: the five methods, with the parameters that it names. */
class ListMemory {
  readonly sessions = new Map<string, ChatMessage[]>();

  async addMessages(id: string, messages: ChatMessage[]): Promise<void> {
    this.sessions.set(id, [...(this.sessions.get(id) ?? []), ...messages]);
  }

  async getMessages(id: string): Promise<ChatMessage[]> {
    return this.sessions.get(id) ?? [];
  }

  async getSummaries(): Promise<string[]> {
    return [];
  }

  async getContextString(id: string): Promise<string> {
    return this.sessions.has(id) ? "They met before." : "";
  }

  async clear(id: string): Promise<void> {
    this.sessions.delete(id);
  }
}

describe("an agent with a memory of the program's own [memory.stand-in]", () => {
  it("gives the model its messages and its context, and adds each turn once", async () => {
    const [model, memory] = [echo(), new ListMemory()];
    const agent = new Agent({ name: "a", model, instructions: "Be brief.", memory });
    for (const input of ["one", "two", "three"]) await agent.run(input, { sessionId });

    expect(contentsOf(model, 0)).toEqual(["Be brief.", "one"]);
    expect(contentsOf(model, 2)).toEqual([
      "Be brief.",
      "They met before.",
      "one",
      "Answer 2",
      "two",
      "Answer 5",
      "three",
    ]);
    expect(memory.sessions.get(sessionId)).toHaveLength(6);
  });

  it("takes a plain object whose methods are not asynchronous", async () => {
    const messages: ChatMessage[] = [];
    const model = echo();
    const memory = {
      addMessages: (_id: string, more: ChatMessage[]) => void messages.push(...more),
      getMessages: () => messages,
      getSummaries: () => [],
      getContextString: () => "",
      clear: () => void (messages.length = 0),
    };
    const agent = new Agent({ name: "a", model, memory });
    for (const input of ["one", "two"]) await agent.run(input, { sessionId });
    expect(contentsOf(model, 1)).toEqual(["one", "Answer 1", "two"]);
    await agent.sessions.deleteSession(sessionId);

    expect(messages).toEqual([]);
  });

  it("gives each owner an id of its own, so that no user reads the session of another", async () => {
    const [model, memory] = [echo(), new ListMemory()];
    const agent = new Agent({ name: "a", model, memory });
    const owners = [
      {},
      { userId: "ada" },
      { userId: "bob" },
      { userId: "ada", verified: false },
      { userId: "-/ada" },
      { userId: "-" },
    ];
    for (const owner of owners) await agent.run("Hi", { sessionId, ...owner });

    for (const [index] of owners.entries()) expect(contentsOf(model, index)).toEqual(["Hi"]);
    expect([...memory.sessions.keys()]).toEqual([
      "s1",
      "-/ada/s1",
      "-/bob/s1",
      "-/~ada/s1",
      "-/-%2Fada/s1",
      "-/%2D/s1",
    ]);
    await agent.sessions.deleteUser("ada");
    expect(memory.sessions.has("-/ada/s1")).toBe(false);
    expect(memory.sessions.size).toBe(5);
  });

  it("sends no call without its result, whatever the memory holds", async () => {
    const [model, memory] = [echo(), new ListMemory()];
    const dangling = { role: "assistant", content: null, toolCalls: [{ id: "1", name: "t", arguments: {} }] } as const;
    memory.sessions.set(sessionId, [
      { role: "user", content: "Hi" },
      { ...dangling, toolCalls: [...dangling.toolCalls] },
    ]);
    await new Agent({ name: "a", model, memory }).run("And?", { sessionId });

    expect(model.calls[0]?.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "user"]);
  });

  it("fails with a sentence when the memory returns something else", async () => {
    for (const [method, expected] of [
      ["getMessages", "an array of ChatMessage objects"],
      ["getContextString", "a string"],
    ] as const) {
      const memory = Object.assign(new ListMemory(), { [method]: async () => ({}) });

      await expect(new Agent({ name: "a", model: echo(), memory }).run("Hi", { sessionId })).rejects.toMatchObject({
        code: "invalid_value",
        message: `The memory's ${method} must return ${expected}, or a promise of it.`,
      });
    }
  });

  it("ends with its signal when the memory hangs", async () => {
    const memory = Object.assign(new ListMemory(), { getMessages: () => new Promise<ChatMessage[]>(() => {}) });
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 20);
    const { signal } = abort;

    await expect(
      new Agent({ name: "a", model: echo(), memory }).run("Hi", { sessionId, signal }),
    ).rejects.toMatchObject({
      code: "cancelled",
    });
  });

  it("names the methods that an object lacks", () => {
    const memory = { addMessages: () => {}, getMessages: () => [] };

    expect(() => new Agent({ name: "a", model: echo(), memory: memory as never })).toThrow(
      "memory must be a Memory, with the methods addMessages, getMessages, getSummaries, getContextString and clear",
    );
  });
});

/** A user memory with the methods of the specification. */
class FactList {
  readonly facts = new Map<string, string[]>();
  readonly heard: string[] = [];

  async getFacts(userId: string): Promise<string[]> {
    return this.facts.get(userId) ?? [];
  }

  async addFacts(userId: string, facts: string[]): Promise<void> {
    this.facts.set(userId, [...(this.facts.get(userId) ?? []), ...facts]);
  }

  async removeFact(): Promise<void> {}

  async clear(userId: string): Promise<void> {
    this.facts.delete(userId);
  }

  async getContextString(userId: string): Promise<string> {
    return (await this.getFacts(userId)).join("; ");
  }

  async extractAndStore(userId: string, messages: ChatMessage[], model?: ModelProvider): Promise<void> {
    this.heard.push(`${userId} ${messages.length} ${model?.modelId}`);
    await this.addFacts(userId, [`fact ${this.heard.length}`]);
  }
}

describe("an agent with a user memory of the program's own [user-memory.stand-in]", () => {
  const untilHeard = async (memory: FactList, count: number) =>
    await vi.waitFor(() => expect(memory.heard).toHaveLength(count));

  it("gives the model its facts, and finds facts after each answer", async () => {
    const [model, userMemory] = [echo(), new FactList()];
    const agent = new Agent({ name: "a", model, userMemory });
    await agent.run("one", { userId: "ada" });
    await untilHeard(userMemory, 1);
    await agent.run("two", { userId: "ada" });
    await untilHeard(userMemory, 2);

    expect(userMemory.heard).toEqual(["ada 2 scripted-1", "ada 2 scripted-1"]);
    expect(contentsOf(model, 1)).toEqual(["fact 1", "two"]);
    await agent.sessions.deleteUser("ada");
    expect(userMemory.facts.size).toBe(0);
  });

  it("finds no facts when it says that it is not enabled", async () => {
    const userMemory = Object.assign(new FactList(), { enabled: false });
    await new Agent({ name: "a", model: echo(), userMemory }).run("one", { userId: "ada" });
    await letRun();

    expect(userMemory.heard).toEqual([]);
  });

  it("gives an unverified user an id of its own", async () => {
    const [model, userMemory] = [echo(), new FactList()];
    userMemory.facts.set("ada", ["secret"]);
    await new Agent({ name: "a", model, userMemory }).run("one", attemptOpts({ userId: "ada", verified: false }));
    await untilHeard(userMemory, 1);

    expect(contentsOf(model, 0)).toEqual(["one"]);
    expect(userMemory.heard).toEqual(["-/~ada 2 scripted-1"]);
  });

  it("fails with a sentence when it returns something else than text", async () => {
    const userMemory = Object.assign(new FactList(), { getContextString: async () => 5 as unknown as string });

    await expect(
      new Agent({ name: "a", model: echo(), userMemory }).run("Hi", { userId: "ada" }),
    ).rejects.toMatchObject({
      code: "invalid_value",
      message: "The user memory's getContextString must return a string, or a promise of it.",
    });
  });
});
