import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../base/message/message.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { StatedOwner } from "../../sessions/storage/session-owner.ts";
import type { AgentMemory } from "./agent-memory.ts";
import { Memory } from "./memory.ts";
import { rebuildMemory, toRecallingMemory } from "./stand-in-memory.ts";
import { exchange } from "./test/conversation.ts";
import { turnOptions } from "./test/turn-options.ts";

const noUser: StatedOwner = { userId: undefined };

/** A memory of five methods that keeps its calls, and gives these answers. */
function fiveMethods(answers: { messages?: unknown; context?: unknown; wait?: Promise<void> } = {}) {
  const calls: unknown[] = [];
  const { messages = [], context = "", wait } = answers;
  const answer = async <Answer>(call: unknown[], value: Answer) => {
    calls.push(call);
    await wait;
    return value;
  };
  const memory: AgentMemory = {
    addMessages: async (...given) => await answer(["add", ...given], undefined),
    getMessages: async (...given) => await answer(["messages", ...given], messages as ChatMessage[]),
    getSummaries: async () => await answer(["summaries"], []),
    getContextString: async (...given) => await answer(["context", ...given], context as string),
    clear: async (...given) => await answer(["clear", ...given], undefined),
  };
  return { memory, calls };
}

describe("toRecallingMemory", () => {
  it("returns a memory that recalls itself, and adapts any other", () => {
    const whole = new Memory({ storage: new InMemoryStorage() });
    const { memory } = fiveMethods();
    const half = { ...memory, recall: whole.recall.bind(whole) };

    expect(toRecallingMemory(whole)).toBe(whole);
    expect(toRecallingMemory(memory)).not.toBe(memory);
    expect(toRecallingMemory(half)).not.toBe(half);
  });

  it.each<[StatedOwner, string, object]>([
    [noUser, "a/b", {}],
    [{ userId: "u" }, "-/u/a%2Fb", { userId: "u" }],
    [{ tenantId: "t", userId: undefined }, "t/-/a%2Fb", { tenantId: "t" }],
    [{ tenantId: "t", userId: "u" }, "t/u/a%2Fb", { tenantId: "t", userId: "u" }],
    [{ userId: "u", verified: false }, "-/~u/a%2Fb", { userId: "u", verified: false }],
    [{ userId: "u", verified: true }, "-/u/a%2Fb", { userId: "u" }],
  ])("gives each owner an id of its own, and the owner alone: %j", async (owner, id, scope) => {
    const { memory, calls } = fiveMethods();
    const { signal } = new AbortController();
    const options = { ...owner, signal, through: 3, apiKeyFor: () => "secret" };
    const recalling = toRecallingMemory(memory);
    const messages = exchange("x");
    await recalling.addMessages("a/b", messages, options);
    await recalling.recall("a/b", { ...options, takesSeed: true });
    await recalling.clear("a/b", options);

    const given = { ...scope, signal };
    expect(calls).toStrictEqual([
      ["add", id, messages, given],
      ["messages", id, given],
      ["context", id, given],
      ["clear", id, given],
    ]);
  });

  it("gives the memory an array of its own", async () => {
    const { memory, calls } = fiveMethods();
    const messages = exchange("x");
    await toRecallingMemory(memory).addMessages("a", messages, noUser);
    messages.pop();

    expect(calls).toEqual([["add", "a", exchange("x"), { signal: undefined }]]);
  });

  it("recalls a repaired history that has all turns", async () => {
    const messages: ChatMessage[] = [{ role: "tool", toolCallId: "1", content: "x" }, ...exchange("x")];
    const { memory } = fiveMethods({ messages, context: "Likes tea." });

    expect(await toRecallingMemory(memory).recall("a", noUser)).toStrictEqual({
      messages: exchange("x"),
      context: "Likes tea.",
      through: Number.MAX_SAFE_INTEGER,
    });
  });

  it.each([
    [{ messages: "x" }, "getMessages must return an array of ChatMessage objects"],
    [{ messages: [{ role: "robot", content: "x" }] }, "getMessages must return an array of ChatMessage objects"],
    [{ context: null }, "getContextString must return a string"],
  ])("refuses the answers %j", async (answers, problem) => {
    await expect(toRecallingMemory(fiveMethods(answers).memory).recall("a", noUser)).rejects.toMatchObject({
      code: "invalid_value",
      message: `The memory's ${problem}, or a promise of it.`,
    });
  });

  it("does not wait for a memory that ignores the signal", async () => {
    const { memory } = fiveMethods({ wait: new Promise(() => {}) });
    const abort = new AbortController();
    const options = { ...noUser, signal: abort.signal };
    const recalling = toRecallingMemory(memory);
    const calls = [recalling.addMessages("a", [], options), recalling.recall("a", options)];
    abort.abort();

    for (const call of calls) await expect(call).rejects.toMatchObject({ code: "cancelled" });
  });
});

describe("rebuildMemory", () => {
  const turns = ["one", "two"].map((text) => {
    const [input, ...messages] = exchange(text);
    return { input: input?.content ?? "", messages };
  });
  const owner = { userId: "u" };

  it("clears a memory of five methods, then adds the turns that are left in their order", async () => {
    const { memory, calls } = fiveMethods();
    const load = async () => await Promise.resolve((calls.push("load"), turns));
    await rebuildMemory(memory, { sessionId: "a", owner, load });

    const scope = { userId: "u", signal: undefined };
    expect(calls).toEqual([
      ["clear", "-/u/a", scope],
      "load",
      ["add", "-/u/a", exchange("one"), scope],
      ["add", "-/u/a", exchange("two"), scope],
    ]);
  });

  it("clears a memory that recalls, whose next run takes the turns in again, and loads none", async () => {
    const memory = new Memory({ storage: new InMemoryStorage() });
    await memory.addMessages("a", exchange("x"), turnOptions({ ...owner, through: 4 }));
    await memory.addMessages("a", exchange("y"), { userId: "v" });
    await rebuildMemory(memory, { sessionId: "a", owner, load: () => expect.unreachable() });

    expect(await memory.recall("a", owner)).toMatchObject({ messages: [], through: 0 });
    expect(await memory.getMessages("a", { userId: "v" })).toEqual(exchange("y"));
  });
});
