import { InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { CallToolResultSchema, ErrorCode } from "@modelcontextprotocol/sdk/types.js";
import type { RequestHandler } from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveAgents } from "../../../test/served-agents.ts";
import { post, serveHttp } from "../../../test/serve-http.ts";
import {
  connectFirst,
  createCashier,
  headersOf,
  ModernClient,
  startTask,
  userOfHeader,
} from "../../../test/task-clients.ts";

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

  it("is listed on pages, and a cursor that is none is refused [mcp-server.task-owner]", async () => {
    const { url } = await serveHttp({}, [userOfHeader]);
    const ada = await connectFirst(url, { headers: { "x-user": "ada" } });
    const started = new Set<string>();
    for (let count = 0; count < 60; count++) started.add(await startTask(ada, "tea"));
    const { tasks } = ada.experimental;
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await tasks.listTasks(cursor);
      found.push(...page.tasks.map(({ taskId }) => taskId));
      cursor = page.nextCursor;
    } while (cursor !== undefined);

    expect([found.length, new Set(found)]).toEqual([60, started]);
    await expect(tasks.listTasks("2.x")).rejects.toMatchObject(invalidParams);
    await expect(tasks.listTasks("1.nonsense")).rejects.toMatchObject(invalidParams);
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

  it("beyond the open runs that the service bounds is refused until another one is over [mcp-server.task-bounds]", async () => {
    const { url } = await serveHttp({}, [userOfHeader]);
    const ada = await connectFirst(url, { headers: { "x-user": "ada" } });
    const taskIds: string[] = [];
    for (let count = 0; count < 100; count++) taskIds.push(await startTask(ada, "hang"));
    await expect(startTask(ada, "tea")).rejects.toThrow("This user has 100 open runs");
    const modern = new ModernClient(url, { headers: { "x-user": "ada" } });
    expect(await modern.call("ask_helper", { message: "tea" })).toMatchObject({ isError: true });
    // Tenants are users of their own, who neither free nor take the other's share.
    const other = await connectFirst(url, { headers: headersOf({ userId: "ada", tenantId: "t" }) });
    expect(await startTask(other, "hang")).not.toBe("");
    const [taskId = ""] = taskIds;
    await expect(other.experimental.tasks.cancelTask(taskId)).rejects.toMatchObject(invalidParams);
    await expect(startTask(ada, "tea")).rejects.toThrow("This user has 100 open runs");

    await ada.experimental.tasks.cancelTask(taskId);
    await expect.poll(async () => await startTask(ada, "hang").catch(() => "")).not.toBe("");
  });

  it("counts each address apart where these are trusted [mcp-server.task-bounds]", async () => {
    const from: RequestHandler = (request, _response, next) => {
      Object.defineProperty(request, "ip", { value: request.headers["x-from"] });
      next();
    };
    const { url } = await serveHttp({ trustAddresses: true }, [from]);
    const at = async (address: string) => await connectFirst(url, { headers: { "x-from": address } });
    const [one, two] = [await at("2001:db8::1"), await at("192.0.2.1")];
    for (let count = 0; count < 100; count++) await startTask(one, "hang");
    await expect(startTask(await at("2001:db8::2"), "tea")).rejects.toThrow("This address has 100 open runs");
    expect(await startTask(two, "hang")).not.toBe("");
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
