import { Agent, createLogger, InMemoryStorage, TroupeError, Workflow } from "@troupe/core";
import type { Runnable, StreamChunk } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { letRun } from "@troupe-internal/interleavings";
import { describe, expect, it, vi } from "vitest";
import { openSocket, post, readFrames, requestBytes } from "../../test/clients.ts";
import { Latch } from "../../test/latch.ts";
import { serve } from "../../test/serve-agent.ts";

const patience = { timeout: 5000, interval: 5 };

describe("POST …/stream", () => {
  it("sends a numbered event per chunk, and finish as the last one [http.agent-stream] [http.sse-frames] [http.sse-finish]", async () => {
    const service = await serve({
      agent: new Agent({ name: "a", model: new ScriptedModel({ text: ["Take ", "it."] }) }),
    });

    const response = await post(service, "/agents/a/stream");

    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
    });
    expect(await readFrames(response)).toEqual([
      { id: "1", data: { type: "text", text: "Take " } },
      { id: "2", data: { type: "text", text: "it." } },
      {
        id: "3",
        data: {
          type: "finish",
          finishReason: "stop",
          usage: { promptTokens: 10, completionTokens: 5, totalTokens: 15 },
        },
      },
    ]);
    expect(service.runs.size).toBe(0);
  });

  it("sends the events of a workflow's steps, and its result as the last one", async () => {
    const model = new ScriptedModel({ text: ["Rain ", "today"] });
    const steps = [{ name: "ask", agent: new Agent({ name: "a", model }), inputFrom: () => "Weather?" }];
    const service = await serve({ workflow: new Workflow({ name: "w", initialState: {}, steps }) });

    const frames = await readFrames(await post(service, "/workflows/w/stream", { body: "{}" }));

    expect(frames.map(({ data }) => data.type)).toEqual([
      "step_start",
      "chunk",
      "chunk",
      "chunk",
      "step_end",
      "finish",
    ]);
    expect(frames.at(-1)?.data).toMatchObject({ result: { status: "completed", steps: [{ name: "ask" }] } });
  });

  it("sends only the declared fields of a chunk", async () => {
    const chunks = [
      { type: "text", text: "a", secret: 1 },
      { type: "tool_call_start", toolCall: { id: "1", name: "t", secret: 1 } },
      { type: "tool_call_delta", toolCallId: "1", argumentsDelta: "{}", secret: 1 },
      { type: "tool_progress", toolCallId: "1", toolName: "t", progress: { percent: 1 }, secret: 1 },
      { type: "tool_result", toolCallId: "1", toolName: "t", result: "", durationMs: 1, secret: 1 },
      { type: "tool_call_end", toolCallId: "1", secret: 1 },
      { type: "thinking", text: "b", secret: 1 },
      { type: "raw", secret: 1 },
      { type: "finish", finishReason: "stop", secret: 1 },
    ] as unknown as StreamChunk[];
    const stream = () => ({ [Symbol.asyncIterator]: () => chunks.values() });
    const service = await serve({ agent: { name: "a", kind: "remote", stream, run: stream } as unknown as Runnable });

    const text = await (await post(service, "/agents/a/stream")).text();

    expect(text).not.toContain("secret");
    expect(text.match(/^data: .*$/gm)).toHaveLength(8);
  });

  it("sends finish only after the turn is stored", async () => {
    const latch = new Latch();
    const storage = new InMemoryStorage();
    const append = storage.append.bind(storage);
    storage.append = async (...args) => {
      await latch.wait();
      return await append(...args);
    };
    const agent = new Agent({ name: "a", model: new ScriptedModel("Umbrella."), storage });
    const service = await serve({ agent });

    const response = await post(service, "/agents/a/stream");
    const reader = response.body?.getReader();
    const first = Buffer.from((await reader?.read())?.value ?? []).toString("utf8");
    await latch.reached;
    const rest = reader?.read();
    const early = await Promise.race([rest, letRun().then(() => "nothing")]);
    latch.open();

    expect(first).toContain('"text":"Umbrella."');
    expect(early).toBe("nothing");
    expect(Buffer.from((await rest)?.value ?? []).toString("utf8")).toContain('"type":"finish"');
    expect(await storage.list("turns")).toHaveLength(1);
  });
});

describe("a stream whose run fails", () => {
  const refused = new TroupeError("guardrail_blocked", "Not that.");

  it("is answered with a status of its own if it fails before its first chunk", async () => {
    const service = await serve({ agent: new Agent({ name: "a", model: new ScriptedModel({ error: refused }) }) });

    const response = await post(service, "/agents/a/stream");

    expect(response.status).toBe(422);
    expect(response.headers.get("content-type")).toContain("application/json");
    expect(response.headers.get("cache-control")).not.toBe("no-store, no-transform");
    expect(await response.json()).toMatchObject({ error: { code: "guardrail_blocked", message: "Not that." } });
  });

  it("ends with one error event and no finish if it fails after its first chunk", async () => {
    const model = new ScriptedModel({ text: "Well, ", error: refused });
    const service = await serve({ agent: new Agent({ name: "a", model }) });

    const frames = await readFrames(await post(service, "/agents/a/stream"));

    expect(frames.map(({ data }) => data.type)).toEqual(["text", "error"]);
    expect(frames.at(-1)).toEqual({
      id: "2",
      data: {
        type: "error",
        error: { code: "guardrail_blocked", message: "Not that.", runId: expect.stringMatching(/^[\da-f-]{36}$/) },
      },
    });
  });

  it("hides an internal error from the client and logs it", async () => {
    const model = new ScriptedModel({ text: "Well, ", error: new Error("/etc/secret") });
    const logged: string[] = [];
    const logger = createLogger({ level: "debug", write: (line) => logged.push(line) });
    const service = await serve({ agent: new Agent({ name: "a", model }), logger });

    const text = await (await post(service, "/agents/a/stream")).text();

    expect(text).toContain('"code":"internal"');
    expect(text).not.toContain("secret");
    expect(logged.join("\n")).toContain("secret");
  });

  it("ends with an error event if it fails after its first heartbeat: the status has been sent", async () => {
    const model = new ScriptedModel({ delayMs: 100, error: refused });
    const service = await serve({ agent: new Agent({ name: "a", model }), heartbeatMs: 20 });

    const response = await post(service, "/agents/a/stream");
    const text = await response.text();

    expect(response.status).toBe(200);
    expect(text).toMatch(/^(: heartbeat\n\n)+id: 1\ndata: {"type":"error","error":{.*}}\n\n$/);
  });

  it("names the reason in its last event if the service ends it", async () => {
    const model = new ScriptedModel({ text: ["one ", "two"], chunkDelayMs: 2000 });
    const service = await serve({ agent: new Agent({ name: "a", model }) });

    const response = await post(service, "/agents/a/stream");
    service.runs.endAll();
    const frames = await readFrames(response);

    expect(frames.map(({ data }) => data.error?.code ?? data.type)).toEqual(["text", "unavailable"]);
  });
});

describe("a client that disconnects from a stream", () => {
  it("cancels the run", async () => {
    const model = new ScriptedModel({ text: "word ".repeat(1000), chunkDelayMs: 5 });
    const service = await serve({ agent: new Agent({ name: "a", model }) });
    const socket = await openSocket(service);

    socket.write(requestBytes("/agents/a/stream"));
    await new Promise((resolve) => socket.once("data", resolve));
    socket.destroy();

    await vi.waitFor(() => expect(service.runs.size).toBe(0), patience);
    expect(model.calls[0]?.end).toBe("cancelled");
  });

  it("cancels the run also before its first chunk", async () => {
    const model = new ScriptedModel({ hang: true });
    const service = await serve({ agent: new Agent({ name: "a", model }) });
    const socket = await openSocket(service);

    socket.write(requestBytes("/agents/a/stream"));
    await vi.waitFor(() => expect(service.runs.size).toBe(1), patience);
    socket.destroy();

    await vi.waitFor(() => expect(service.runs.size).toBe(0), patience);
    expect(model.calls[0]?.end).toBe("cancelled");
  });

  it("does not cancel the run with onDisconnect set to continue: the turn is stored", async () => {
    const storage = new InMemoryStorage();
    const model = new ScriptedModel({ text: "word ".repeat(50), chunkDelayMs: 2 });
    const service = await serve({ agent: new Agent({ name: "a", model, storage }), onDisconnect: "continue" });
    const socket = await openSocket(service);

    socket.write(requestBytes("/agents/a/stream"));
    await new Promise((resolve) => socket.once("data", resolve));
    socket.destroy();

    await vi.waitFor(() => expect(service.runs.size).toBe(0), patience);
    expect(model.calls[0]?.end).toBe("completed");
    expect(await storage.list("turns")).toHaveLength(1);
  });

  it("cancels the run with ?onDisconnect=cancel, whatever the service does otherwise [http.disconnect-query]", async () => {
    const model = new ScriptedModel({ hang: true });
    const service = await serve({ agent: new Agent({ name: "a", model }), onDisconnect: "continue" });
    const socket = await openSocket(service);

    socket.write(requestBytes("/agents/a/stream?onDisconnect=cancel"));
    await vi.waitFor(() => expect(service.runs.size).toBe(1), patience);
    socket.destroy();

    await vi.waitFor(() => expect(service.runs.size).toBe(0), patience);
    expect(model.calls[0]?.end).toBe("cancelled");
  });

  it.each(["continue", "", "cancel&onDisconnect=cancel"])("is refused for ?onDisconnect=%s", async (value) => {
    const service = await serve({ agent: new Agent({ name: "a", model: new ScriptedModel() }) });

    const response = await post(service, `/agents/a/run?onDisconnect=${value}`);

    expect([response.status, await response.json()]).toMatchObject([400, { error: { code: "invalid_request" } }]);
  });
});
