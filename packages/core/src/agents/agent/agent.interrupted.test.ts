import { describe, expect, it } from "vitest";
import { assertVendorWouldAccept } from "../../sessions/history/test/assert-vendor-would-accept.ts";
import { turnMessages } from "../../sessions/session/turn-record.ts";
import { readTurnRecord } from "../../sessions/session/turn-record.ts";
import type { TurnRecord } from "../../sessions/session/turn-record.ts";
import { recordQueuesOf } from "../../sessions/lock/session-queues.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { runErrorOf } from "../../testing/conformance/runnable-subject.ts";
import { until } from "../../testing/conformance/assert.ts";
import { callOf, look, scripted, toolNamed } from "./test/agents.ts";

const asks = { text: "I look.", toolCalls: [callOf("1")] };
const hanging = toolNamed("hang", () => new Promise<string>(() => {}));

async function turnsIn(storage: InMemoryStorage): Promise<TurnRecord[]> {
  return (await storage.list("turns")).map(({ key, value }) => readTurnRecord(value, { namespace: "turns", key }));
}

describe("a run that failed", () => {
  it.each([
    ["the model fails", [{ text: "Hm", error: new Error("broken") }]],
    ["the answer has no form", ["no", "no", "no"]],
  ])("leaves nothing in its session when no tool was called: %s", async (_why, turns) => {
    const storage = new InMemoryStorage();
    const structuredOutput = { type: "object", required: ["a"] };
    const { agent } = scripted(turns, { storage, ...(turns.length > 1 && { structuredOutput }) });
    await runErrorOf(agent.run("Hi", { sessionId: "s" }));

    expect(await turnsIn(storage)).toEqual([]);
    expect(recordQueuesOf(storage).busyKeys).toBe(0);
  });

  it("leaves a turn marked as interrupted after a tool was called, with every call and its result", async () => {
    const storage = new InMemoryStorage();
    const { agent, model } = scripted([asks, { error: new Error("broken") }, "Again."], { storage, tools: [look] });
    const error = await runErrorOf(agent.run("Weather?", { sessionId: "s" }));

    const [turn] = await turnsIn(storage);
    expect(turn).toMatchObject({
      status: "interrupted",
      runId: error.output.runId,
      runnable: "helper",
      input: "Weather?",
      messages: [
        { role: "assistant", content: "I look.", toolCalls: [callOf("1")] },
        { role: "tool", toolCallId: "1", content: "Oslo seen" },
      ],
      usage: { totalTokens: 15 },
    });
    await agent.run("Again?", { sessionId: "s" });
    expect(model.calls.at(-1)?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
    assertVendorWouldAccept(model.calls.at(-1)?.messages ?? []);
  });

  it("gives an unfinished call the result interrupted, and keeps the results of the others", async () => {
    const storage = new InMemoryStorage();
    const toolCalls = [callOf("1", "Rome", "hang"), callOf("2")];
    const { agent } = scripted([asks, { toolCalls: toolCalls.map((call) => ({ ...call, id: `b${call.id}` })) }], {
      storage,
      tools: [look, hanging],
    });
    const results: unknown[] = [];
    agent.eventBus.on("tool.result", ({ toolCallId }) => void results.push(toolCallId));
    const stream = agent.stream("Weather?", { sessionId: "s" });
    const failed = runErrorOf(stream.output);
    await until(() => results.includes("b2"));
    stream.cancel();
    const error = await failed;

    const [turn] = await turnsIn(storage);
    expect(turn?.status).toBe("interrupted");
    expect(turn?.messages.map(({ toolCallId, content }) => [toolCallId, content])).toEqual([
      [undefined, "I look."],
      ["1", "Oslo seen"],
      [undefined, null],
      ["b1", "interrupted"],
      ["b2", "Oslo seen"],
    ]);
    assertVendorWouldAccept(turnMessages(turn ?? { input: "", messages: [] }));
    expect(error.output.toolCalls.map(({ toolCallId }) => toolCallId)).toEqual(["1", "b2"]);
  });

  it("keeps the result of every finished call, even when its reader had not come to it", async () => {
    const storage = new InMemoryStorage();
    const { agent } = scripted([{ toolCalls: [callOf("1"), callOf("2", "Rome")] }], { storage, tools: [look] });
    const results: unknown[] = [];
    agent.eventBus.on("tool.result", ({ result }) => void results.push(result));
    const stream = agent.stream("Weather?", { sessionId: "s" });
    for await (const chunk of stream) {
      if (chunk.type !== "tool_call_end") continue;
      await until(() => results.length === 2);
      break;
    }
    const { output } = await runErrorOf(stream.output);

    const [turn] = await turnsIn(storage);
    expect(turn?.messages.slice(1).map(({ content }) => content)).toEqual(["Oslo seen", "Rome seen"]);
    expect(output.toolCalls.map(({ result }) => result)).toEqual(["Oslo seen", "Rome seen"]);
  });

  it("is stored before its end is announced, and lets the next run in", async () => {
    const storage = new InMemoryStorage();
    const stored: number[] = [];
    const { agent } = scripted([asks, { error: new Error("broken") }, "Hi."], { storage, tools: [look] });
    agent.eventBus.on("run.error", () => void storage.list("turns").then((turns) => stored.push(turns.length)));
    const outcomes = await Promise.allSettled([
      agent.run("Weather?", { sessionId: "s" }),
      agent.run("Hello", { sessionId: "s" }),
    ]);

    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    expect(stored[0]).toBeGreaterThanOrEqual(1);
    expect((await turnsIn(storage)).map(({ status }) => status)).toEqual(["interrupted", "completed"]);
  });

  it("keeps the tool calls once when a guardrail refuses the last answer", async () => {
    const storage = new InMemoryStorage();
    const output = [{ name: "g", check: (text: string) => ({ pass: text === "I look.", reason: "no" }) as const }];
    const { agent } = scripted([asks, "Rain."], { storage, tools: [look], guardrails: { output } });
    await runErrorOf(agent.run("Weather?", { sessionId: "s" }));

    const turns = await turnsIn(storage);
    expect(turns.map(({ status, messages }) => [status, messages.length])).toEqual([["interrupted", 2]]);
    expect(JSON.stringify(turns)).not.toContain("Rain.");
  });
});
