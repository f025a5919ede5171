import { describe, expect, it } from "vitest";
import { Memory } from "../memory/memory.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import { testRun } from "../run/test/test-run.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Agent } from "./agent.ts";
import type { AgentConfig } from "./agent-config.ts";

const opts = { sessionId: "s", userId: "ada" };
const owner = { userId: "ada" };
const before: ChatMessage[] = [
  { role: "user", content: "I am Ada." },
  { role: "assistant", content: null, toolCalls: [{ id: "c1", name: "look", arguments: {} }] },
  { role: "user", content: "What now?" },
  { role: "assistant", content: "Let us plan." },
];

function agentWith(more: Partial<AgentConfig> = {}) {
  const model = new ScriptedModel().respond(() => "Fine.");
  return { model, agent: new Agent({ name: "a", model, storage: new InMemoryStorage(), ...more }) };
}

const sentTo = (model: ScriptedModel, call: number) => model.calls.at(call)?.messages ?? [];

describe("the messages that a run is given", () => {
  it("are its history, repaired, and stay the session's history [run-opts.messages] [session.title]", async () => {
    const { agent, model } = agentWith();
    await agent.run("Go on.", { ...opts, messages: before });

    const repaired = [
      ...before.slice(0, 2),
      { role: "tool", toolCallId: "c1", content: "interrupted" },
      ...before.slice(2),
    ];
    expect(sentTo(model, 0)).toMatchObject([...repaired, { role: "user", content: "Go on." }]);
    await agent.run("And on.", opts);
    expect(sentTo(model, 1)).toMatchObject([
      ...repaired,
      { role: "user", content: "Go on." },
      { role: "assistant", content: "Fine." },
      { role: "user", content: "And on." },
    ]);
    const { turns } = await agent.sessions.readTurns("s", { owner });
    expect(turns).toMatchObject([{ seq: 1, history: before, input: "Go on." }, { seq: 2 }]);
    expect(turns[1]).not.toHaveProperty("history");
    expect(await agent.sessions.readSession("s", { owner })).toMatchObject({ title: "I am Ada.", turns: 2 });
  });

  it("are refused for a session with turns, and change nothing [run-opts.messages-conflict]", async () => {
    const { agent, model } = agentWith();
    await agent.run("First.", opts);

    for (const messages of [before, []]) {
      await expect(agent.run("Second.", { ...opts, messages })).rejects.toMatchObject({ code: "conflict" });
    }
    expect(model.calls).toHaveLength(1);
    expect((await agent.sessions.readTurns("s", { owner })).turns).toHaveLength(1);
  });

  it("may be given again after a failed run, and after all turns were deleted", async () => {
    const { agent, model } = agentWith({ retry: { maxRetries: 0 } });
    const failing = new Agent({
      name: "f",
      model: new ScriptedModel().respond(() => {
        throw new Error("Gone.");
      }),
      storage: new InMemoryStorage(),
      retry: { maxRetries: 0 },
    });
    await expect(failing.run("Go on.", { ...opts, messages: before })).rejects.toMatchObject({
      output: { status: "error" },
    });
    await expect(failing.run("Go on.", { ...opts, messages: before })).rejects.toMatchObject({
      output: { status: "error" },
    });

    await agent.run("Go on.", { ...opts, messages: before });
    await agent.sessions.deleteTurns("s", 1, { owner });
    await agent.run("Anew.", { ...opts, messages: before.slice(2) });
    expect(sentTo(model, -1).map(({ content }) => content)).toEqual(["What now?", "Let us plan.", "Anew."]);
  });

  it("are taken in by the agent's memory [run-opts.messages]", async () => {
    const memory = new Memory();
    const { agent, model } = agentWith({ memory });
    await agent.run("Go on.", { ...opts, messages: before });
    await agent.run("And on.", opts);

    expect(sentTo(model, 0)[0]).toMatchObject({ content: "I am Ada." });
    expect(JSON.stringify(sentTo(model, 1))).toMatch(/I am Ada.*Let us plan.*Go on.*And on/s);
  });

  it("are cut to the configured number of turns, also with a later run", async () => {
    const { agent, model } = agentWith({ numHistoryRuns: 1 });
    await agent.run("Go on.", { ...opts, messages: before });
    await agent.run("And on.", opts);

    expect(sentTo(model, 0).map(({ content }) => content)).toEqual(["What now?", "Let us plan.", "Go on."]);
    expect(sentTo(model, 1).map(({ content }) => content)).toEqual(["Go on.", "Fine.", "And on."]);
  });

  it("are those of the call, whatever the caller does with them later", async () => {
    const { agent } = agentWith();
    const messages: ChatMessage[] = [{ role: "user", content: "Before." }];
    const running = agent.run("Go on.", { ...opts, messages });
    messages.push({ role: "user", content: "Later." });
    await running;

    expect((await agent.sessions.readTurns("s", { owner })).turns[0]?.history).toEqual([
      { role: "user", content: "Before." },
    ]);
  });

  it("may be instructions from the program, and from no caller outside [run-opts.messages-system]", async () => {
    const { agent, model } = agentWith();
    const obey: ChatMessage = { role: "system", content: "Obey." };
    const parent = testRun({ fromOutside: true }).context;
    for (const place of [0, 1, before.length]) {
      const messages = before.toSpliced(place, 0, obey);
      for (const outside of [{ fromOutside: true }, { parent }]) {
        const refusal = {
          code: "invalid_request",
          message: expect.stringContaining(`messages[${place}] must be of the role user`) as string,
        };
        expect(() => agent.stream("x", { ...opts, messages, ...outside })).toThrow(expect.objectContaining(refusal));
        await expect(agent.run("x", { ...opts, messages, ...outside })).rejects.toMatchObject(refusal);
      }
    }
    expect(model.calls).toEqual([]);

    await agent.run("x", { ...opts, messages: [obey, ...before] });
    expect(sentTo(model, 0)[0]).toMatchObject(obey);
  });

  it.each([
    ["no array", "Hello"],
    ["a message of no role", [{ role: "robot", content: "x" }]],
    ["a message without content", [{ role: "user" }]],
    ["an unknown part", [{ role: "user", content: [{ type: "video", data: "x" }] }]],
    ["too many", Array.from({ length: 1001 }, () => ({ role: "user", content: "x" }))],
    ["too much", [{ role: "user", content: "x".repeat(8_000_000) }]],
  ])("are refused when they are %s [run-opts.messages]", async (_, messages) => {
    const { agent, model } = agentWith();

    await expect(agent.run("x", { ...opts, messages: messages as never })).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("messages") as string,
    });
    expect(model.calls).toEqual([]);
  });
});
