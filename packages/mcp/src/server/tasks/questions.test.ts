import { RunService } from "@troupe/core/runs";
import {
  CallToolResultSchema,
  ElicitRequestSchema,
  TaskStatusNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveHttp } from "../../../test/serve-http.ts";
import { connectFirst, createCashier, ModernClient } from "../../../test/task-clients.ts";
import type { ModernTask } from "../../../test/task-clients.ts";

const elicitation = { elicitation: {} };
const relatedTask = "io.modelcontextprotocol/related-task";

async function untilStatus(client: ModernClient, taskId: string, status: string): Promise<ModernTask> {
  await expect.poll(async () => (await client.get(taskId)).status).toBe(status);
  return await client.get(taskId);
}

async function startPaying(message = "Pay.", capabilities: object = elicitation) {
  const { cashier, paid } = createCashier();
  const { url } = await serveHttp({ agents: { cashier } });
  const client = new ModernClient(url, { capabilities });
  const { taskId } = await client.call("ask_cashier", { message });
  return { url, client, taskId, paid, task: await untilStatus(client, taskId, "input_required") };
}

/** A client of revision 2025-11-25 in a session, and the questions and changes that it has heard of. */
async function connectWithSession(answer: { action: "accept" | "decline"; content?: Record<string, never> }) {
  const { cashier, paid } = createCashier();
  const { url } = await serveHttp({ agents: { cashier }, extend: () => {} });
  const client = await connectFirst(url, { capabilities: elicitation });
  const asked: unknown[] = [];
  const heard: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params);
    return answer;
  });
  client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => void heard.push(params.status));
  const start = async (message: string): Promise<string> => {
    const params = { name: "ask_cashier", arguments: { message } };
    for await (const event of client.experimental.tasks.callToolStream(params, undefined, { task: {} })) {
      if (event.type === "taskCreated") return event.task.taskId;
    }
    throw new Error("There is no task.");
  };
  return { client, paid, asked, heard, start, tasks: client.experimental.tasks };
}

describe("a task of revision 2026-07-28 whose run waits", () => {
  it("asks the client's user, and goes on with the answer [mcp-server.task-input]", async () => {
    const { client, taskId, task, paid } = await startPaying();
    expect(task.inputRequests).toMatchObject({
      "t.0.0": { method: "elicitation/create", params: { message: 'May the assistant call pay with {"amount":1}?' } },
    });
    expect(paid).toEqual([]);

    const inputResponses = { "t.0.0": { action: "accept", content: {} }, stray: { action: "accept" } };
    const taken = await client.send("tasks/update", { taskId, inputResponses });
    expect(Object.keys(taken.result)).toEqual(["resultType", "_meta"]);
    const { result } = await untilStatus(client, taskId, "completed");
    expect([result?.content[0]?.text, paid]).toEqual([expect.stringContaining("Paid 1."), [1]]);
  });

  it.each(["decline", "cancel"])("denies the call of a user who says %s [mcp-server.task-input]", async (action) => {
    const { client, taskId, paid } = await startPaying();
    await client.send("tasks/update", { taskId, inputResponses: { "t.0.0": { action } } });
    await untilStatus(client, taskId, "completed");

    expect(paid).toEqual([]);
  });

  it("shows what is still asked when a part is answered, and takes the first answer [mcp-server.task-input]", async () => {
    const { client, taskId, task, paid } = await startPaying("Pay twice.");
    expect(Object.keys(task.inputRequests ?? {})).toEqual(["t.0.0", "t.0.1"]);
    await client.send("tasks/update", { taskId, inputResponses: { "t.0.1": { action: "accept" } } });
    const rest = await client.get(taskId);
    expect([rest.status, Object.keys(rest.inputRequests ?? {})]).toEqual(["input_required", ["t.0.0"]]);

    await client.send("tasks/update", { taskId, inputResponses: { "t.0.1": { action: "decline" } } });
    await client.send("tasks/update", { taskId, inputResponses: { "t.0.0": { action: "accept" } } });
    await untilStatus(client, taskId, "completed");
    expect(new Set(paid)).toEqual(new Set([1, 2]));
  });

  it("tells a client that cannot ask what it waits for, and takes a cancel [mcp-server.task-input]", async () => {
    const { client, taskId, task } = await startPaying("Pay.", {});
    expect(task).toMatchObject({ inputRequests: {}, statusMessage: "Waits for the approval of a call of pay." });
    await client.send("tasks/cancel", { taskId });
    await untilStatus(client, taskId, "cancelled");
  });

  it("takes the result of a tool that the client executes [mcp-server.task-input]", async () => {
    const { client, taskId, task } = await startPaying("Where?");
    const [key = ""] = Object.keys(task.inputRequests ?? {});
    await client.send("tasks/update", {
      taskId,
      inputResponses: { [key]: { action: "accept", content: { result: "Oslo" } } },
    });

    const { result } = await untilStatus(client, taskId, "completed");
    expect(result?.content[0]?.text).toContain("Oslo");
  });
});

describe("a task of revision 2025-11-25 whose run waits", () => {
  it("asks the client that waits for its result, in a session, and tells of each change [mcp-server.task-input] [mcp-server.task-status]", async () => {
    const { paid, asked, heard, start, tasks } = await connectWithSession({ action: "accept", content: {} });
    const taskId = await start("Pay twice.");
    await expect.poll(async () => (await tasks.getTask(taskId)).status).toBe("input_required");
    const result = await tasks.getTaskResult(taskId, CallToolResultSchema);

    expect(new Set(paid)).toEqual(new Set([1, 2]));
    expect(result).toMatchObject({ _meta: { [relatedTask]: { taskId } } });
    expect(asked).toMatchObject([
      { _meta: { [relatedTask]: { taskId } } },
      { message: expect.stringContaining("pay") },
    ]);
    await expect.poll(() => heard.at(-1)).toBe("completed");
    expect(heard).toEqual(expect.arrayContaining(["input_required", "working"]));
  });

  it("denies the call of a user who declines [mcp-server.task-input]", async () => {
    const { paid, start, tasks } = await connectWithSession({ action: "decline" });
    await tasks.getTaskResult(await start("Pay."), CallToolResultSchema);

    expect(paid).toEqual([]);
  });

  it("tells a client without a session what it waits for, on the stream of its result [mcp-server.task-input] [mcp-server.task-status]", async () => {
    const { cashier } = createCashier();
    const runs = new RunService({ agents: { cashier } });
    await runs.serve();
    onTestFinished(async () => await runs.close());
    const { url } = await serveHttp({ agents: { cashier }, runs });
    const client = await connectFirst(url, { capabilities: elicitation });
    const heard: string[] = [];
    client.setNotificationHandler(
      TaskStatusNotificationSchema,
      ({ params }) => void heard.push(String(params.statusMessage)),
    );
    const params = { name: "ask_cashier", arguments: { message: "Pay." } };
    let taskId = "";
    for await (const event of client.experimental.tasks.callToolStream(params, undefined, { task: {} })) {
      if (event.type !== "taskCreated") continue;
      ({ taskId } = event.task);
      break;
    }
    const result = client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema);
    await expect.poll(() => heard).toContain("Waits for the approval of a call of pay.");
    await runs.answer(taskId, "t.0.0", { approved: true }, {});

    expect(await result).toMatchObject({ content: [{ text: expect.stringContaining("Paid 1.") }] });
  });
});

describe("a session with many tasks", () => {
  it("tells of the end of each, without a warning of too many listeners [mcp-server.task-status]", async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error) => void warnings.push(name);
    process.on("warning", note);
    onTestFinished(() => void process.off("warning", note));
    const { start, tasks, heard } = await connectWithSession({ action: "decline" });
    const taskIds = await Promise.all(Array.from({ length: 30 }, async () => await start("Pay.")));
    await Promise.all(taskIds.map(async (taskId) => await tasks.cancelTask(taskId)));
    await expect.poll(() => heard.filter((status) => status === "cancelled")).toHaveLength(30);

    expect(warnings).not.toContain("MaxListenersExceededWarning");
  });
});
