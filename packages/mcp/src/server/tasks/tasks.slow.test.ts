import { TroupeError } from "@troupe/core";
import { CallToolResultSchema, ErrorCode } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import { post, serveHttp } from "../../../test/serve-http.ts";
import { connectFirst, ModernClient, startTask } from "../../../test/task-clients.ts";

const relatedTask = "io.modelcontextprotocol/related-task";
const invalidParams = { code: ErrorCode.InvalidParams };

describe("a task of revision 2025-11-25", () => {
  it("is the answer at once, and its result is got by its id [mcp-server.tasks] [mcp-server.task-revisions]", async () => {
    const { url } = await serveHttp();
    const client = await connectFirst(url);
    expect(client.getServerCapabilities()?.tasks).toEqual({ cancel: {}, requests: { tools: { call: {} } } });
    const { tools } = await client.listTools();
    expect(tools.map(({ execution }) => execution)).toEqual(
      Array.from({ length: 3 }, () => ({ taskSupport: "optional" })),
    );

    const taskId = await startTask(client, "slow");
    const task = await client.experimental.tasks.getTask(taskId);
    expect(task).toMatchObject({ taskId, status: "working", ttl: null, pollInterval: expect.any(Number) });
    const result = await client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema);
    expect(result).toMatchObject({
      structuredContent: { text: "One two three." },
      _meta: { [relatedTask]: { taskId } },
    });
    expect(await client.experimental.tasks.getTask(taskId)).toMatchObject({ status: "completed" });
  });

  it("a task of revision 2025-11-25 that failed is failed, and its result is that of the call, without what the vendor said [mcp-server.errors]", async () => {
    const { url } = await serveHttp();
    const client = await connectFirst(url);
    const taskId = await startTask(client, "fail");
    const result = await client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema);
    const task = await client.experimental.tasks.getTask(taskId);

    expect(result).toMatchObject({ isError: true });
    expect(task.status).toBe("failed");
    expect(JSON.stringify([result, task])).not.toContain("vendor-secret");
  });

  it("a task of revision 2025-11-25 of a workflow has the result of a plain call [mcp-server.tasks]", async () => {
    const { url } = await serveHttp();
    const client = await connectFirst(url);
    const call = { name: "run_flow", arguments: { input: { count: 4 } } };
    const plain = await client.callTool(call);
    const events = await Array.fromAsync(client.experimental.tasks.callToolStream(call, undefined, { task: {} }));

    const last = events.at(-1) as { result: typeof plain };
    expect(last.result.content).toEqual(plain.content);
    expect(last.result.structuredContent).toMatchObject({ text: '{"count":5}', structured: { count: 5 } });
  });

  it("is cancelled before the answer says so, up to the model, and once [mcp-server.task-cancel]", async () => {
    const served = await serveHttp();
    const client = await connectFirst(served.url);
    const taskId = await startTask(client, "hang");
    await expect.poll(() => served.model.calls.length).toBe(1);

    expect(await client.experimental.tasks.cancelTask(taskId)).toMatchObject({ taskId, status: "cancelled" });
    expect(served.aborted()).toBe(1);
    await expect(client.experimental.tasks.cancelTask(taskId)).rejects.toMatchObject(invalidParams);
    expect(await client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema)).toMatchObject({
      isError: true,
    });
  });

  it("is refused with the codes of the protocol when it is asked for wrongly [mcp-server.task-revisions]", async () => {
    const { url } = await serveHttp();
    const { tasks } = (await connectFirst(url)).experimental;
    await expect(tasks.getTask("none")).rejects.toMatchObject(invalidParams);
    await expect(tasks.getTaskResult("none", CallToolResultSchema)).rejects.toMatchObject(invalidParams);
    await expect(tasks.cancelTask("../none")).rejects.toMatchObject(invalidParams);
    await expect(tasks.getTask(7 as never)).rejects.toMatchObject(invalidParams);
    for (const task of [{ ttl: -1 }, { ttl: 0 }]) {
      await expect(startTask(await connectFirst(url), "tea", task)).rejects.toMatchObject(invalidParams);
    }
    await expect(startTask(await connectFirst(url), 7 as never)).rejects.toMatchObject(invalidParams);
  });
});

describe("a task of revision 2026-07-28", () => {
  it("is the answer to a client that takes tasks, and has its result in itself [mcp-server.tasks] [mcp-server.task-revisions]", async () => {
    const { url } = await serveHttp();
    const client = new ModernClient(url);
    const discovered = await client.send("server/discover");
    expect(discovered.result).toMatchObject({ capabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } });

    const created = await client.call("ask_helper", { message: "slow" });
    expect(created).toMatchObject({
      resultType: "task",
      status: "working",
      ttlMs: null,
      pollIntervalMs: expect.any(Number),
    });
    await expect.poll(async () => (await client.get(created.taskId)).status).toBe("completed");
    const { resultType, result } = await client.get(created.taskId);
    expect([resultType, result?.content[0]?.text]).toEqual(["complete", "One two three."]);
    expect(JSON.stringify(result)).not.toContain(relatedTask);
  });

  it("is not made for a client that takes none, which is told what it lacks [mcp-server.task-revisions]", async () => {
    const { url } = await serveHttp();
    const call = { params: { name: "ask_helper", arguments: { message: "tea" }, task: { ttl: 1000 } } };
    const plain = (await (await post(url, "tools/call", call)).json()) as { result: object };
    expect(plain.result).toMatchObject({ resultType: "complete", content: [{ text: 'You said "tea", turn 1.' }] });

    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const reply = (await (await post(url, method, { params: { taskId: "x" } })).json()) as { error: object };
      expect(reply.error).toMatchObject({
        code: -32_021,
        data: { requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } },
      });
    }
  });

  it("has the error of a call that cannot begin as its result, and codes for wrong requests [mcp-server.task-revisions]", async () => {
    const { url } = await serveHttp();
    const client = new ModernClient(url);
    expect(await client.call("ask_helper", { message: 7 })).toMatchObject({
      resultType: "complete",
      isError: true,
      content: [{ text: "message must be a string." }],
    });
    for (const method of ["tasks/get", "tasks/cancel"]) {
      expect((await client.send(method, { taskId: "none" })).error).toMatchObject(invalidParams);
    }
    expect((await client.send("tasks/update", { taskId: "none" })).error).toMatchObject(invalidParams);
    for (const method of ["tasks/list", "tasks/result"]) {
      expect((await client.send(method, { taskId: "none" })).error).toMatchObject({ code: ErrorCode.MethodNotFound });
    }
  });

  it("is cancelled up to the model, and a cancel of one that is over is taken [mcp-server.task-cancel]", async () => {
    const served = await serveHttp();
    const client = new ModernClient(served.url);
    const { taskId } = await client.call("ask_helper", { message: "hang" });
    await expect.poll(() => served.model.calls.length).toBe(1);

    const cancelled = await client.send("tasks/cancel", { taskId });
    expect(Object.keys(cancelled.result)).toEqual(["resultType", "_meta"]);
    await expect.poll(async () => (await client.get(taskId)).status).toBe("cancelled");
    expect(served.aborted()).toBe(1);
    expect((await client.send("tasks/cancel", { taskId })).result).toMatchObject({ resultType: "complete" });
  });

  it("a task of revision 2026-07-28 that failed is completed with an error, and failed when the service is at fault [mcp-server.errors]", async () => {
    const { url, model } = await serveHttp();
    const client = new ModernClient(url);
    model.respond(({ messages }) => {
      const code = messages.at(-1)?.content === "model" ? "model_failed" : "internal";
      return { error: new TroupeError(code, "It failed.") };
    });
    const ends = [];
    for (const message of ["model", "service"]) {
      const { taskId } = await client.call("ask_helper", { message });
      await expect.poll(async () => (await client.get(taskId)).status).not.toBe("working");
      ends.push(await client.get(taskId));
    }
    expect(ends).toMatchObject([
      { status: "completed", result: { isError: true } },
      { status: "failed", error: { code: ErrorCode.InternalError } },
    ]);
  });
});
