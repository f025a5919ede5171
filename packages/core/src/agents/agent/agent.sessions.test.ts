import { describe, expect, it } from "vitest";
import { getTextContent } from "../../base/message/content.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import { assertVendorWouldAccept } from "../../sessions/history/test/assert-vendor-would-accept.ts";
import { estimateTextTokens, estimateTokens } from "../../sessions/history/estimate-tokens.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { ScriptedModel } from "../../testing/scripted-model.ts";
import { defineTool } from "../tool/define-tool.ts";
import { callOf, look, scripted } from "./test/agents.ts";

const texts = (messages: readonly ChatMessage[] | undefined) => messages?.map(({ content }) => getTextContent(content));
const lastRequest = (model: ScriptedModel) => texts(model.calls.at(-1)?.messages);

/** An agent that answers each input by repeating it, after these runs in the session `s`. */
async function withPast(inputs: string[], config: Parameters<typeof scripted>[1] = {}) {
  const setUp = scripted([], { ...config, sessionId: "s" });
  setUp.model.respond(({ messages }) => `Re: ${getTextContent(messages.at(-1)?.content ?? null)}`);
  for (const input of inputs) await setUp.agent.run(input);
  return setUp;
}

describe("an agent in a session", () => {
  it("gives the model the history, tools included [run-opts.session] [agent.history-default]", async () => {
    const { agent, model } = scripted([{ toolCalls: [callOf("1")] }, "Rain.", "Bye."], { tools: [look] });
    await agent.run("Weather?", { sessionId: "s" });
    await agent.stream("Thanks.", { sessionId: "s" }).output;

    const messages = model.calls.at(-1)?.messages ?? [];
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "user"]);
    assertVendorWouldAccept(messages);
  });

  it("starts a new session when none is named, and returns its id [output.identity]", async () => {
    const { agent, model } = scripted(["One.", "Two.", "Three."]);
    const first = await agent.run("First");
    const second = await agent.run("Second");
    await agent.run("Third", { sessionId: second.sessionId ?? "" });

    expect(first.sessionId).not.toBe(second.sessionId);
    expect(lastRequest(model)).toEqual(["Second", "Two.", "Third"]);
  });

  it("uses its own session and user unless the run names others [agent.session-default] [agent.user-default]", async () => {
    const { agent } = scripted(["One.", "Two."], { sessionId: "own", userId: "me" });

    expect(await agent.run("Hi")).toMatchObject({ sessionId: "own", userId: "me" });
    const opts = { sessionId: "other", userId: "you" };
    expect(await agent.run("Hi", opts)).toMatchObject(opts);
  });

  it("gives the model the configured number of turns, at most fifty by default [agent.num-history-runs]", async () => {
    const inputs = Array.from({ length: 50 }, (_, index) => `input ${index}`);
    const fifty = await withPast([...inputs, "now"]);
    expect(lastRequest(fifty.model)?.length).toBe(101);
    expect(lastRequest(fifty.model)?.[0]).toBe("input 0");

    // Beyond that, eight turns at once are left out.
    const more = await withPast([...inputs, "input 50", "input 51", "now"]);
    expect(lastRequest(more.model)?.length).toBe(89);
    expect(lastRequest(more.model)?.[0]).toBe("input 8");

    const ten = await withPast([...inputs.slice(0, 13), "now"], { numHistoryRuns: 10 });
    expect(lastRequest(ten.model)?.length).toBe(21);
    expect(lastRequest(ten.model)?.[0]).toBe("input 3");

    const two = await withPast(["a", "b", "c", "d"], { numHistoryRuns: 2 });
    expect(lastRequest(two.model)).toEqual(["b", "Re: b", "c", "Re: c", "d"]);
    const none = await withPast(["a", "b"], { numHistoryRuns: 0 });
    expect(lastRequest(none.model)).toEqual(["b"]);
  });

  it("gives the model no history when it is off, and stores it all the same [agent.history-default]", async () => {
    const storage = new InMemoryStorage();
    const { model } = await withPast(["a", "b"], { addHistoryToMessages: false, storage });
    expect(lastRequest(model)).toEqual(["b"]);

    expect(lastRequest((await withPast(["c"], { storage })).model)).toEqual(["a", "Re: a", "b", "Re: b", "c"]);
  });

  it("leaves out the oldest turns that do not fit [agent.max-context-tokens]", async () => {
    const words = "word ".repeat(40);
    const inputs = [`1 ${words}`, `2 ${words}`, `3 ${words}`];
    const all = (await withPast(inputs)).model.calls.at(-1)?.messages ?? [];
    const maxContextTokens = estimateTokens(all) - 1;
    const { model } = await withPast(inputs, { maxContextTokens });

    expect(lastRequest(model)?.map((text) => text.slice(0, 5))).toEqual(["2 wor", "Re: 2", "3 wor"]);
    expect(estimateTokens(model.calls.at(-1)?.messages ?? [])).toBeLessThanOrEqual(maxContextTokens);

    const { model: full } = await withPast(inputs, { maxContextTokens: maxContextTokens + 1 });
    expect(lastRequest(full)).toHaveLength(5);
  });

  it("leaves room for instructions and tools [agent.max-context-tokens]", async () => {
    const words = "word ".repeat(40);
    const inputs = [`1 ${words}`, `2 ${words}`];
    const all = (await withPast(inputs)).model.calls.at(-1)?.messages ?? [];
    for (const more of [{ instructions: "Be short." }, { tools: [look] }]) {
      const { model } = await withPast(inputs, { maxContextTokens: estimateTokens(all), ...more });
      expect(lastRequest(model)).not.toContain(inputs[0]);
      expect(lastRequest(model)).toContain(inputs[1]);
    }
  });

  it("counts the parameters of tools, of given ones and of a source's [agent.max-context-tokens]", async () => {
    const words = "word ".repeat(40);
    const inputs = [`1 ${words}`, `2 ${words}`];
    const withCity = (description: string) =>
      defineTool({
        name: "look",
        description: "Looks.",
        parameters: { type: "object", properties: { city: { type: "string", description } } },
        execute: () => "seen",
      });
    const [small, large] = [withCity("A city."), withCity("A city. ".repeat(30))];
    const past = (await withPast(inputs)).model.calls.at(-1)?.messages ?? [];
    const specs = [{ name: "look", description: "Looks.", parameters: small.parameters }];
    const maxContextTokens = estimateTokens(past) + estimateTextTokens(JSON.stringify(specs)) + 5;

    for (const tools of [[small], [{ getTools: async () => [small] }]]) {
      expect(lastRequest((await withPast(inputs, { maxContextTokens, tools })).model)).toContain(inputs[0]);
    }
    for (const tools of [[large], [{ getTools: async () => [large] }]]) {
      expect(lastRequest((await withPast(inputs, { maxContextTokens, tools })).model)).not.toContain(inputs[0]);
    }
  });

  it("shares it with every agent on the same storage", async () => {
    const storage = new InMemoryStorage();
    const one = scripted(["One."], { storage, name: "one" });
    const other = scripted(["Two."], { storage, name: "other" });
    await one.agent.run("First", { sessionId: "s" });
    await other.agent.run("Second", { sessionId: "s" });

    expect(lastRequest(other.model)).toEqual(["First", "One.", "Second"]);
    expect((await storage.list("turns")).map(({ value }) => value)).toMatchObject([
      { runnable: "one", status: "completed", input: "First" },
      { runnable: "other", status: "completed", input: "Second" },
    ]);
  });

  it("has another session under the same id for each owner [run-opts.user] [session.per-owner]", async () => {
    const { agent, model } = scripted(["One.", "2", "3", "4", "5", "Six."]);
    await agent.run("First", { sessionId: "s", userId: "Ada" });

    const others = [{ userId: "Bob" }, {}, { userId: "Ada", tenantId: "t" }, { userId: "Ada", verified: false }];
    for (const opts of others) {
      await agent.run("Hi", { sessionId: "s", ...opts });
      expect(lastRequest(model)).toEqual(["Hi"]);
    }
    await agent.run("Third", { sessionId: "s", userId: "Ada" });
    expect(lastRequest(model)).toEqual(["First", "One.", "Third"]);
  });

  it("never gives a session that was opened without a user to a user [session.bearer]", async () => {
    const { agent, model } = scripted(["One.", "Two.", "Three."]);
    await agent.run("First", { sessionId: "s" });

    await agent.run("Second", { sessionId: "s", userId: "Ada" });
    expect(lastRequest(model)).toEqual(["Second"]);
    await agent.run("Third", { sessionId: "s" });
    expect(lastRequest(model)).toEqual(["First", "One.", "Third"]);
  });

  it("keeps vendor state within the run, out of its chunks, its events, its output and the session", async () => {
    const storage = new InMemoryStorage();
    const asks = { toolCalls: [callOf("1")], vendorState: ["ENCRYPTED"] };
    const { agent, model } = scripted([asks, { text: "Rain.", vendorState: ["ENCRYPTED"] }, "Bye."], {
      tools: [look],
      storage,
    });
    const events: unknown[] = [];
    for (const name of ["run.start", "run.stream.chunk", "tool.call", "tool.result", "run.complete"] as const) {
      agent.eventBus.on(name, (data) => void events.push(data));
    }
    const stream = agent.stream("Weather?", { sessionId: "s" });
    const chunks = await Array.fromAsync(stream);
    await agent.run("Thanks.", { sessionId: "s" });

    const states = (call: number) => model.calls[call]?.messages.flatMap(({ vendorState }) => vendorState ?? []);
    expect(states(1)).toHaveLength(1);
    expect(states(2)).toEqual([]);
    const stored = [await storage.list("turns"), await storage.list("sessions")];
    expect(JSON.stringify([chunks, events, await stream.output, stored])).not.toMatch(/ENCR|vendorState/);
  });

  it("takes no vendor state from a stored message", async () => {
    const storage = new InMemoryStorage();
    const { agent, model } = scripted(["Hello.", "Bye."], { storage });
    const { providerId, modelId } = model;
    await agent.run("Hi.", { sessionId: "s" });
    for (const { key, value } of await storage.list("turns")) {
      const turn = structuredClone(value) as { messages: object[] };
      Object.assign(turn.messages[0] ?? {}, { vendorState: { providerId, modelId, items: ["planned"] } });
      await storage.set("turns", key, turn as never);
    }
    await agent.run("Thanks.", { sessionId: "s" });

    expect(JSON.stringify(model.calls[1]?.messages)).toContain("Hello.");
    expect(JSON.stringify(model.calls[1]?.messages)).not.toContain("planned");
  });
});
