import { Agent, defineTool, Team } from "@troupe/core";
import type { StreamChunk } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { watchSocket } from "@troupe-internal/stream-grammars";
import { io as dial } from "socket.io-client";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveUsers, TestClient, transports } from "../test/test-client.ts";

const weather = defineTool({
  name: "weather",
  description: "Tells the weather.",
  parameters: { type: "object", properties: { city: { type: "string" } } },
  execute: () => ({ content: "rain", artifacts: [{ type: "map", data: { zoom: 3 } }] }),
});

function forecaster(): Agent {
  const model = new ScriptedModel().respond(({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? { text: "Take an umbrella." }
      : { toolCalls: [{ id: "c1", name: "weather", arguments: { city: "Oslo" } }] },
  );
  return new Agent({ name: "forecaster", model, tools: [weather] });
}

function talker(text = "Hello there."): Agent {
  return new Agent({ name: "talker", model: new ScriptedModel().respond(() => text) });
}

describe.each(transports)("a gateway over %s", (transport) => {
  it("runs an agent by name and sends its text and output [socket.agent-run] [socket.chunk] [socket.done]", async () => {
    const { join } = await serveUsers({ agents: { a: talker() } });
    const client = await join({ transports: [transport] });
    const ids = await client.ask("agent.run", { name: "a", input: "Hi" });
    const { name, payload } = await client.endOf(String(ids["runId"]));

    expect(ids).toEqual({ runId: expect.any(String), sessionId: expect.any(String) });
    expect(name).toBe("agent.done");
    expect(payload).toEqual({
      ...ids,
      name: "a",
      output: expect.objectContaining({ text: "Hello there.", toolCalls: [] }),
    });
    expect(payload["output"]).not.toHaveProperty("messages");
    expect(client.textOf(ids["runId"])).toBe("Hello there.");
    expect(client.received.filter(({ name: each }) => each === "agent.chunk").map((each) => each.payload)).toEqual(
      expect.arrayContaining([{ ...ids, name: "a", chunk: expect.any(String) }]),
    );
  });

  it("sends a tool call, its result and its end in this order [socket.tool-call] [socket.tool-result] [socket.tool-done]", async () => {
    const { join } = await serveUsers({ agents: { a: forecaster() } });
    const client = await join({ transports: [transport] });
    const { payload } = await client.run({ name: "a", input: "Oslo?" });
    const ids = { runId: payload["runId"], name: "a", sessionId: payload["sessionId"] };
    const tools = client.received.filter(({ name }) => name.startsWith("agent.tool."));

    expect(tools).toEqual([
      { name: "agent.tool.call", payload: { ...ids, toolName: "weather", args: null, toolCallId: "c1" } },
      {
        name: "agent.tool.result",
        payload: {
          ...ids,
          toolCallId: "c1",
          toolName: "weather",
          result: "rain",
          artifacts: [{ type: "map", data: { zoom: 3 } }],
          durationMs: expect.any(Number),
        },
      },
      { name: "agent.tool.done", payload: { ...ids, toolCallId: "c1" } },
    ]);
    expect(client.namesOf(payload["runId"]).at(-1)).toBe("agent.done");
    expect(payload["output"]).toMatchObject({ toolCalls: [{ args: { city: "Oslo" } }] });
  });

  it("runs a team by name, with the events of an agent's run [socket.team-run]", async () => {
    const model = new ScriptedModel().respond(() => "Both say hello.");
    const team = new Team({ name: "desk", mode: "broadcast", model, members: [talker(), forecaster()] });
    const { join } = await serveUsers({ teams: { desk: team } });
    const client = await join({ transports: [transport] });
    const { name, payload } = await client.run({ name: "desk", input: "Hi" }, "team.run");

    expect(name).toBe("agent.done");
    expect(payload).toMatchObject({ name: "desk", output: { text: "Both say hello." } });
    expect(client.textOf(payload["runId"])).toBe("Both say hello.");
  });

  it("sends a failure as agent.error with a string, and nothing of what the vendor said [socket.error]", async () => {
    const model = new ScriptedModel().respond(() => {
      throw new Error("secret of the vendor");
    });
    const { join, lines } = await serveUsers({ agents: { a: new Agent({ name: "a", model }) } });
    const client = await join({ transports: [transport] });
    const { name, payload } = await client.run({ name: "a", input: "Hi", sessionId: "s1" });

    expect(name).toBe("agent.error");
    expect(payload).toMatchObject({ error: expect.any(String), code: "internal", name: "a", sessionId: "s1" });
    expect(JSON.stringify(client.received)).not.toContain("secret");
    expect(lines.join("\n")).toContain("A request failed by a fault of the service.");
    expect(client.namesOf(payload["runId"])).toEqual(["agent.error"]);
  });

  it("tells the runs of one socket apart by their ids [socket.run-ids]", async () => {
    const { join } = await serveUsers({ agents: { a: talker("One."), b: talker("Two.") } });
    const client = await join({ transports: [transport] });
    const [first, second] = await Promise.all([
      client.run({ name: "a", input: "Hi" }),
      client.run({ name: "b", input: "Hi" }),
    ]);

    expect(client.textOf(first.payload["runId"])).toBe("One.");
    expect(client.textOf(second.payload["runId"])).toBe("Two.");
    expect(first.payload["name"]).toBe("a");
    expect(second.payload["name"]).toBe("b");
  });
});

describe("the namespace of a gateway", () => {
  it("is /service, or that of its options [socket.namespace]", async () => {
    const usual = await serveUsers({ agents: { a: talker() } });
    const own = await serveUsers({ agents: { a: talker() }, namespace: "/chat" });

    expect((await (await usual.join()).run({ name: "a", input: "Hi" })).name).toBe("agent.done");
    const client = new TestClient(watchSocket(dial(`${own.url}/chat`, { forceNew: true })));
    onTestFinished(() => client.close());
    expect((await client.run({ name: "a", input: "Hi" })).name).toBe("agent.done");
    await expect(own.join()).rejects.toThrow("Invalid namespace");
  });
});

describe("a chunk of an unknown kind", () => {
  it("is not sent, nor are fields that no event declares [socket.declared-fields]", async () => {
    const chunks = [
      { type: "text", text: "Hi", secret: 1 },
      { type: "tool_call_start", toolCall: { id: "c", name: "t", arguments: "secret" }, secret: 1 },
      { type: "tool_call_delta", toolCallId: "c", argumentsDelta: "{}" },
      { type: "tool_progress", toolCallId: "c", toolName: "t", progress: 0.5, secret: 1 },
      {
        type: "tool_result",
        toolCallId: "c",
        toolName: "t",
        result: "secret",
        error: "It failed.",
        durationMs: 1,
        args: {},
      },
      { type: "tool_call_end", toolCallId: "c", secret: 1 },
      { type: "source", id: "1", url: "https://a.example", secret: 1 },
      { type: "thinking", text: "Hm", secret: 1 },
      { type: "other", secret: 1 },
      { type: "finish", finishReason: "stop" },
    ] as unknown as StreamChunk[];
    const output = {
      text: "Hi",
      toolCalls: [],
      usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0 },
      secret: 1,
    };
    const agent = Object.assign(talker(), {
      stream: () => ({
        output: Promise.resolve(output),
        async *[Symbol.asyncIterator]() {
          yield* chunks;
        },
      }),
    });
    const { join } = await serveUsers({ agents: { a: agent } });
    const client = await join();
    const { payload } = await client.run({ name: "a", input: "Hi" });

    expect(client.namesOf(payload["runId"])).toEqual([
      "agent.chunk",
      "agent.tool.call",
      "agent.tool.progress",
      "agent.tool.result",
      "agent.tool.done",
      "agent.source",
      "agent.thinking",
      "agent.done",
    ]);
    expect(JSON.stringify(client.received)).not.toContain("secret");
  });
});
