import { InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { CallToolResultSchema, ErrorCode } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveAgents } from "../../../test/served-agents.ts";
import { post, serveHttp } from "../../../test/serve-http.ts";
import { connectFirst, createCashier, ModernClient, startTask, userOfHeader } from "../../../test/task-clients.ts";

const invalidParams = { code: ErrorCode.InvalidParams };

describe("a task", () => {
  it("goes on when its client has gone, and another connection gets the result; a plain call is cancelled [mcp-server.task-survives]", async () => {
    const served = await serveHttp();
    const abort = new AbortController();
    const params = { name: "ask_helper", arguments: { message: "hang" } };
    const plain = post(served.url, "tools/call", { params, signal: abort.signal }).catch(() => undefined);
    await expect.poll(() => served.model.calls.length).toBe(1);
    abort.abort();
    await plain;
    await expect.poll(served.aborted).toBe(1);

    const first = await connectFirst(served.url);
    const taskId = await startTask(first, "slow");
    const waiting = first.experimental.tasks.getTaskResult(taskId, CallToolResultSchema).catch(() => undefined);
    await first.close();
    await waiting;
    const second = await connectFirst(served.url);
    expect(await second.experimental.tasks.getTaskResult(taskId, CallToolResultSchema)).toMatchObject({
      structuredContent: { text: "One two three." },
    });
    expect(served.aborted()).toBe(1);
  });

  it("is its user's alone, who can list it; without a user it is reached by its id alone [mcp-server.task-owner]", async () => {
    const { url } = await serveHttp({}, [userOfHeader]);
    const [ada, bob, anonymous] = [
      await connectFirst(url, { headers: { "x-user": "ada" } }),
      await connectFirst(url, { headers: { "x-user": "bob" } }),
      await connectFirst(url),
    ];
    const taskId = await startTask(ada, "tea");
    const open = await startTask(anonymous, "tea");
    for (const other of [bob, anonymous]) {
      const { tasks } = other.experimental;
      await expect(tasks.getTask(taskId)).rejects.toMatchObject(invalidParams);
      await expect(tasks.getTaskResult(taskId, CallToolResultSchema)).rejects.toMatchObject(invalidParams);
      await expect(tasks.cancelTask(taskId)).rejects.toMatchObject(invalidParams);
    }
    expect((await new ModernClient(url).send("tasks/get", { taskId })).error).toMatchObject(invalidParams);

    expect((await ada.experimental.tasks.listTasks()).tasks.map((task) => task.taskId)).toEqual([taskId]);
    expect((await bob.experimental.tasks.listTasks()).tasks).toEqual([]);
    expect(anonymous.getServerCapabilities()?.tasks?.list).toBeUndefined();
    expect((await (await connectFirst(url)).experimental.tasks.getTask(open)).taskId).toBe(open);
  });

  it("is removed after its ttl, whatever it does [mcp-server.task-ttl]", async () => {
    const { url } = await serveHttp();
    const client = await connectFirst(url);
    const kept = await startTask(client, "tea", { ttl: 3_600_000 });
    const [done, open] = [await startTask(client, "tea", { ttl: 50 }), await startTask(client, "hang", { ttl: 50 })];
    const { tasks } = client.experimental;
    for (const taskId of [done, open]) {
      const gone = async () =>
        await tasks.getTask(taskId).then(
          () => "there",
          ({ code }: { code: number }) => code,
        );
      await expect.poll(gone).toBe(ErrorCode.InvalidParams);
    }

    expect(await tasks.getTaskResult(kept, CallToolResultSchema)).toMatchObject({
      content: [{ text: 'You said "tea", turn 1.' }],
    });
    const { ttl } = await tasks.getTask(kept);
    expect(ttl).toBeLessThanOrEqual(3_600_000);
  });

  it("a task without runs ends with the server, and with it the wait for its result [mcp-server.shutdown]", async () => {
    const served = await serveHttp();
    const client = await connectFirst(served.url);
    const taskId = await startTask(client, "hang");
    await expect.poll(() => served.model.calls.length).toBe(1);
    const result = client.experimental.tasks
      .getTaskResult(taskId, CallToolResultSchema)
      .catch((error: unknown) => error);
    await served.server.close();

    expect(await result).toMatchObject({ isError: true });
    await expect.poll(served.aborted).toBe(1);
  });
});

describe("the option runs", () => {
  it("makes tasks of what the service has durable runs of it, which every transport reaches [mcp-server.task-survives]", async () => {
    const { cashier } = createCashier();
    const storage = new InMemoryStorage();
    const runs = new RunService({ storage, agents: { cashier } });
    await runs.serve();
    onTestFinished(async () => await runs.close());
    const { url } = await serveHttp({ agents: { cashier, ...serveAgents().agents }, runs });
    const client = new ModernClient(url);
    const durable = await client.call("ask_cashier", { message: "Pay." });
    const own = await client.call("ask_helper", { message: "tea" });
    await expect.poll(async () => (await client.get(durable.taskId)).status).toBe("input_required");

    expect(await runs.get(durable.taskId, {})).toMatchObject({ kind: "agent", name: "cashier", status: "waiting" });
    await expect(runs.get(own.taskId, "host")).rejects.toMatchObject({ code: "not_found" });
    await runs.answer(durable.taskId, "t.0.0", { approved: true }, {});
    await expect.poll(async () => (await client.get(durable.taskId)).status).toBe("completed");
  });

  it("the option runs of another agent, and of none that is served, are refused at construction [mcp-server.options]", async () => {
    const [{ cashier }, other] = [createCashier(), createCashier()];
    const runs = new RunService({ agents: { cashier } });
    onTestFinished(async () => await runs.close());

    await expect(serveHttp({ agents: { cashier: other.cashier }, runs })).rejects.toThrow(
      'another agent under the name "cashier"',
    );
    await expect(serveHttp({ agents: { helper: other.cashier }, runs })).rejects.toThrow(
      "runs performs nothing that is served here",
    );
    await expect(serveHttp({ agents: { cashier }, runs: {} as never })).rejects.toThrow("runs must be a RunService");
  });
});
