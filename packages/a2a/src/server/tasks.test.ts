import { createLogger } from "@troupe/core";
import type { Guardrail } from "@troupe/core";
import { describe, expect, it } from "vitest";
import {
  firstOf,
  heldAgent,
  madeAgent,
  message0,
  message1,
  scriptedAgent,
  serveA2A,
  untilState,
} from "../../test/serve-a2a.ts";

const hello = () => scriptedAgent([{ text: "Good day." }, { text: "Again you." }]);

describe("a message over A2A", () => {
  it("runs the agent and returns the completed task to a client of 0.x [a2a.message-send] [a2a.agents]", async () => {
    const served = await serveA2A({ agents: { helper: hello() } });
    const { status, result } = await served.call("message/send", message0("Hi"));

    expect(status).toBe(200);
    expect(result).toMatchObject({
      kind: "task",
      status: { state: "completed", message: { role: "agent", parts: [{ kind: "text", text: "Good day." }] } },
      artifacts: [{ artifactId: "response", name: "response", parts: [{ kind: "text", text: "Good day." }] }],
      history: [{ kind: "message", role: "user", parts: [{ kind: "text", text: "Hi" }], taskId: result.id }],
    });
    expect((await served.call("tasks/get", { id: result.id })).result).toEqual(result);
  });

  it("is answered in 1.0 with the wrapped task, whose status does not repeat the answer [a2a.message-send]", async () => {
    const served = await serveA2A({ agents: { helper: hello() } });
    const { result } = await served.call("SendMessage", message1("Hi"), { headers: { "a2a-version": "1.0" } });

    const { task } = result;
    expect(task.status).toEqual({ state: "TASK_STATE_COMPLETED", timestamp: expect.stringMatching(/Z$/) });
    expect(task.artifacts).toEqual([{ artifactId: "response", name: "response", parts: [{ text: "Good day." }] }]);
    expect(task.metadata.usage).toMatchObject({ totalTokens: expect.any(Number) });
    expect((await served.call("GetTask", { id: task.id, historyLength: 0 })).result).not.toHaveProperty("history");
  });

  it("goes on with the session of its context, as a new task [a2a.context-is-session]", async () => {
    const agent = hello();
    const served = await serveA2A({ agents: { helper: agent } });
    const first = await served.call("message/send", message0("Hi"));
    const { contextId, id } = first.result;
    const second = await served.call("message/send", message0("And now?", { contextId }));

    expect(second.result).toMatchObject({ contextId, status: { message: { parts: [{ text: "Again you." }] } } });
    expect(second.result.id).not.toBe(id);
    const turns = await agent.sessions.readTurns(contextId, {});
    expect(turns.turns).toHaveLength(2);
    expect((await served.call("message/send", message0("Hi", { contextId: "no/slash" }))).error.code).toBe(-32602);
  });

  it("returns the task at once when the client does not wait, and goes on [a2a.returns-at-once]", async () => {
    const { agent, release } = heldAgent();
    const served = await serveA2A({ agents: { helper: agent } });
    const { result } = await served.call("message/send", { ...message0("Hi"), configuration: { blocking: false } });
    expect(result.status.state).toBe("submitted");
    await untilState(served, result.id, "working");
    release();

    const done = await untilState(served, result.id, "completed");
    expect(done.artifacts[0]?.parts).toEqual([{ kind: "text", text: "One two." }]);
  });

  it("a message over A2A of structured output and tools has their data and files as parts and artifacts [a2a.artifacts]", async () => {
    const agent = madeAgent(async function* () {
      yield { type: "text", text: "Let me see." };
      return {
        structured: { city: "Oslo" },
        artifacts: [
          {
            type: "image",
            data: Buffer.from("png").toString("base64"),
            mimeType: "image/png",
            toolCallId: "c1",
            toolName: "draw",
          },
          { type: "rows", data: [1, 2], toolCallId: "c2", toolName: "query" },
        ],
      };
    });
    const served = await serveA2A({ agents: { helper: agent } });
    const { result } = await served.call("SendMessage", message1("Hi"));

    expect(result.task.artifacts).toEqual([
      { artifactId: "response", name: "response", parts: [{ data: { city: "Oslo" }, mediaType: "application/json" }] },
      {
        artifactId: "c1.0",
        name: "image",
        parts: [{ raw: "cG5n", mediaType: "image/png" }],
        metadata: { toolName: "draw" },
      },
      { artifactId: "c2.0", name: "rows", parts: [{ data: [1, 2] }], metadata: { toolName: "query" } },
    ]);
  });

  it("a message over A2A that a guardrail blocks is a rejected task, which shows nothing of the answer [a2a.rejected]", async () => {
    const guardrail: Guardrail = { name: "calm", check: () => ({ pass: false, reason: "Too loud." }) };
    const served = await serveA2A({
      agents: { helper: scriptedAgent([{ text: "x" }], { guardrails: { input: [guardrail] } }) },
    });
    const { result } = await served.call("message/send", message0("HI"));

    expect(result.status).toMatchObject({ state: "rejected", message: { metadata: { code: "guardrail_blocked" } } });
    expect(result).not.toHaveProperty("artifacts");
  });

  it("a message over A2A whose run fails is a failed task that hides what the vendor said [a2a.failed]", async () => {
    const secret = "vendor says sk-secret-1";
    const logger = createLogger({ level: "silent" });
    const served = await serveA2A({ agents: { helper: scriptedAgent([{ error: new Error(secret) }]) }, logger });
    const { result } = await served.call("message/send", message0("Hi"));

    expect(result.status.state).toBe("failed");
    expect(JSON.stringify(result)).not.toContain("secret");
    expect((await served.call("tasks/cancel", { id: result.id })).error.code).toBe(-32002);
  });

  it("a message over A2A for an agent that is not known, or for a task that is over, is an error [a2a.wrong-messages]", async () => {
    const served = await serveA2A({ agents: { helper: hello() } });
    const { result } = await served.call("message/send", message0("Hi"));

    const named = await served.call("message/send", message0("Hi", { metadata: { agent: "__proto__" } }));
    expect(named.error.code).toBe(-32602);
    const over = await served.call("message/send", message0("More", { taskId: result.id }));
    expect(over.error).toMatchObject({ code: -32004 });
    const unknown = await served.call("SendMessage", message1("More", { taskId: "nobody" }));
    expect(unknown.error.code).toBe(-32001);
    const mixed = await served.call("SendMessage", message1("More", { taskId: result.id, contextId: "other" }));
    expect(mixed.error.code).toBe(-32602);
  });
});

describe("the cancel of a task", () => {
  it("aborts its run and ends it as canceled, for good [a2a.tasks-cancel] [a2a.terminal-is-final]", async () => {
    const { agent, aborts } = heldAgent();
    const served = await serveA2A({ agents: { helper: agent } });
    const { result } = await served.call("message/send", { ...message0("Hi"), configuration: { blocking: false } });
    await untilState(served, result.id, "working");

    const cancelled = await served.call("tasks/cancel", { id: result.id });
    expect(cancelled.result).toMatchObject({ id: result.id, status: { state: "canceled" } });
    expect(aborts()).toBe(1);
    expect((await served.call("tasks/cancel", { id: result.id })).error.code).toBe(-32002);
    expect((await served.call("CancelTask", { id: result.id })).result.status).toEqual({
      ...(await served.call("GetTask", { id: result.id })).result.status,
      state: "TASK_STATE_CANCELED",
    });
    expect((await served.call("message/send", message0("More", { taskId: result.id }))).error.code).toBe(-32004);
  });

  it("ends the wait of a client for its answer [a2a.tasks-cancel]", async () => {
    const { agent } = heldAgent();
    const served = await serveA2A({ agents: { helper: agent } });
    const stream = served.stream("message/stream", message0("Hi"));
    const task = await firstOf(stream);
    await untilState(served, task.id, "working");
    await served.call("tasks/cancel", { id: task.id });

    const rest = await Array.fromAsync(stream);
    expect(rest.at(-1)).toMatchObject({ kind: "status-update", final: true, status: { state: "canceled" } });
  });

  it("the cancel of a task of an unknown task is an error [a2a.tasks-cancel]", async () => {
    const served = await serveA2A({ agents: { helper: hello() } });
    expect((await served.call("tasks/cancel", { id: "0" })).error.code).toBe(-32001);
    expect((await served.call("CancelTask", { id: "x".repeat(500) })).error.code).toBe(-32001);
  });
});
