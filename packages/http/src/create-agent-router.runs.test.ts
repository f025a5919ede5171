import { describe, expect, it } from "vitest";
import { counter, desk, scripted, talker } from "../test/runnables.ts";
import { serve } from "../test/serve.ts";

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

describe("createAgentRouter", () => {
  it("runs an agent by its registered name and answers with the output [http.agent-run] [http.output-shape]", async () => {
    const service = await serve({ agents: { helper: talker("Take an umbrella.") } });

    const { status, json, headers } = await service.post("/agents/helper/run", { input: "Oslo?" });

    expect(status).toBe(200);
    expect(json).toMatchObject({
      text: "Take an umbrella.",
      toolCalls: [],
      usage: { promptTokens: 10, completionTokens: 5, totalTokens: 15 },
      structured: null,
      durationMs: expect.any(Number),
      status: "completed",
      runId: headers.get("x-run-id"),
      sessionId: headers.get("x-session-id"),
    });
    expect(json).not.toHaveProperty("messages");
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it("streams an agent as events, a data line of JSON each, the last one a finish with its reason [http.agent-stream] [http.sse-frames] [http.sse-finish]", async () => {
    const service = await serve({ agents: { helper: talker("Take an umbrella.") } });

    const { status, headers, text } = await service.post("/agents/helper/stream", { input: "Oslo?" });
    const chunks = chunksOf(text);

    expect([status, headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
    expect(chunks.map((chunk) => chunk.text ?? "").join("")).toBe("Take an umbrella.");
    expect(chunks.at(-1)).toEqual({
      type: "finish",
      finishReason: "stop",
      usage: { promptTokens: 10, completionTokens: 5, totalTokens: 15 },
    });
    expect([headers.get("x-run-id"), headers.get("x-session-id")]).toEqual([
      expect.stringMatching(uuid),
      expect.stringMatching(uuid),
    ]);
  });

  it("runs and streams a team [http.team-run] [http.team-stream]", async () => {
    const service = await serve({ teams: { desk: desk("All agree.") } });

    const run = await service.post("/teams/desk/run", { input: "Oslo?" });
    const stream = await service.post("/teams/desk/stream", { input: "Oslo?" });

    expect(run).toMatchObject({ status: 200, json: { text: "All agree.", structured: null } });
    expect(chunksOf(stream.text).at(-1)).toMatchObject({ type: "finish", finishReason: "stop" });
  });

  it("runs and streams a workflow, with an input that is merged over its state, or without a body [http.workflow-run]", async () => {
    const service = await serve({ workflows: { counter: counter() } });

    const run = await service.post("/workflows/counter/run", { input: { count: 41 } });
    const plain = await service.ask("/workflows/counter/run", { method: "POST" });
    const stream = await service.post("/workflows/counter/stream", {});

    expect(run).toMatchObject({ status: 200, json: { status: "completed", state: { count: 42 } } });
    expect(run.json).toMatchObject({
      steps: [{ name: "add", status: "completed" }],
      runId: run.headers.get("x-run-id"),
    });
    expect(plain).toMatchObject({ status: 200, json: { state: { count: 2 } } });
    expect(chunksOf(stream.text).at(-1)).toMatchObject({ type: "finish", result: { state: { count: 2 } } });
  });

  it("takes a string or an array of parts as input [http.body-input]", async () => {
    const { agent, model } = scripted("Seen.", "Seen again.");
    const service = await serve({ agents: { helper: agent } });
    const parts = [
      { type: "text", text: "What is this?" },
      { type: "image", data: "aGVsbG8=", mimeType: "image/png" },
    ];

    await service.post("/agents/helper/run", { input: "Plain." });
    await service.post("/agents/helper/run", { input: parts });

    expect(model.calls.map(({ messages }) => messages.at(-1)?.content)).toEqual(["Plain.", parts]);
  });

  it("continues the session of the body, and begins a new one without a sessionId [http.body-session]", async () => {
    const { agent, model } = scripted("One.", "Two.", "Three.");
    const service = await serve({ agents: { helper: agent } });

    const first = await service.post("/agents/helper/run", { input: "1", sessionId: "mine" });
    await service.post("/agents/helper/run", { input: "2", sessionId: "mine" });
    const other = await service.post("/agents/helper/run", { input: "3" });

    expect(model.calls.map(({ messages }) => messages.length)).toEqual([1, 3, 1]);
    expect(first.headers.get("x-session-id")).toBe("mine");
    expect(other.headers.get("x-session-id")).toMatch(uuid);
  });

  it("never uses the session or user that an agent is configured with", async () => {
    const agent = talker("Hi.", { sessionId: "everybody", userId: "root" });
    const service = await serve({ agents: { helper: agent } });

    const { headers } = await service.post("/agents/helper/run", { input: "1" });

    expect(headers.get("x-session-id")).toMatch(uuid);
    expect(await agent.sessions.listSessions({ userId: "root" })).toEqual({ sessions: [] });
  });
});

function chunksOf(text: string): { type: string; text?: string }[] {
  const frames = text.split("\n\n").filter((frame) => frame !== "");
  return frames.map((frame) => {
    const line = frame.split("\n").find((each) => each.startsWith("data: ")) ?? "";
    return JSON.parse(line.slice("data: ".length)) as { type: string; text?: string };
  });
}
