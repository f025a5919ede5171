import type { Json, RunWait } from "@troupe/core";
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
import { describeWait, toAnswer, toInputRequest } from "./questions.ts";

const elicitation = { elicitation: {} };
const relatedTask = "io.modelcontextprotocol/related-task";

async function untilStatus(client: ModernClient, taskId: string, status: string): Promise<ModernTask> {
  await expect.poll(async () => (await client.get(taskId)).status).toBe(status);
  return await client.get(taskId);
}

describe("the question of a workflow", () => {
  const ask = (schema?: object) =>
    ({ id: "w", kind: "question", about: { question: "How old?", ...(schema && { schema }) } }) as RunWait;
  const formOf = (schema?: object) => toInputRequest(ask(schema))?.params.requestedSchema;

  it("is a form of its schema, if that has plain values alone", () => {
    const years = { type: "object", properties: { years: { type: "number" } }, required: ["years"] };
    const result = { type: "string", title: "Answer" };

    expect(toInputRequest(ask())?.params.message).toBe("How old?");
    expect(formOf()).toEqual({ type: "object", properties: { result }, required: ["result"] });
    expect(formOf(years)).toEqual(years);
    expect(formOf({ type: "integer" })).toMatchObject({ properties: { result: { type: "integer" } } });
    expect(formOf({ type: "object", properties: { a: { type: "array" } } })).toBeUndefined();
  });

  it("is answered by the form, and stays open if the user declines", () => {
    const accepted = (content: object) => toAnswer(ask(), { action: "accept", content });

    expect(accepted({ result: "nine" })).toEqual({ result: "nine" });
    expect(accepted({ years: 9 })).toEqual({ result: { years: 9 } });
    expect(toAnswer(ask(), { action: "decline" })).toBeUndefined();
  });

  it("is no form for an event or a time", () => {
    const event = { id: "w", kind: "event", about: { event: "paid" } } as RunWait;

    expect([toInputRequest(event), describeWait(event)]).toEqual([undefined, 'Waits for the event "paid".']);
    expect(describeWait({ id: "w", kind: "sleep", about: {} })).toBe("Waits for a time.");
    expect(describeWait(ask())).toBe("Waits for the answer to a question: How old?");
  });
});

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

const waitOf = (kind: string, about: Json = { toolName: "pay", args: { amount: 1 } }) =>
  ({ id: "t.0.0", kind, about }) as unknown as RunWait;

describe("the question of a run that waits", () => {
  const choice = {
    type: "string",
    title: "What happened",
    description: "happened: the call took place. again: it did not, make it now. giveUp: end the run.",
    enum: ["happened", "again", "giveUp"],
  };
  const returned = { type: "string", title: "Result", description: "With happened: what the call returned." };

  it.each<[string, string, object]>([
    ["approval", 'May the assistant call pay with {"amount":1}?', { type: "object", properties: {} }],
    [
      "input",
      'The assistant asks you to call pay with {"amount":1}, and to tell it the result.',
      { type: "object", properties: { result: { type: "string", title: "Result" } }, required: ["result"] },
    ],
    [
      "doubt",
      'A call of pay with {"amount":1} was cut off, and may or may not have taken place. What happened?',
      { type: "object", properties: { choice, result: returned }, required: ["choice"] },
    ],
  ])("of the kind %s is a form with one sentence", (kind, message, requestedSchema) => {
    expect(toInputRequest(waitOf(kind))).toStrictEqual({
      method: "elicitation/create",
      params: { mode: "form", message, requestedSchema },
    });
  });

  it("is none for a user where the service alone can help", () => {
    expect(toInputRequest(waitOf("service"))).toBeUndefined();
  });

  it.each<[Json, string]>([
    [null, "a tool with {}"],
    [{}, "a tool with {}"],
    [{ toolName: "pay" }, "pay with {}"],
    [{ toolName: "pay", args: null }, "pay with null"],
  ])("names the call of %j", (about, call) => {
    const shown = toInputRequest(waitOf("approval", about))?.params.message;
    expect(shown).toBe(`May the assistant call ${call}?`);
  });

  it("shows 2,000 characters of the arguments", () => {
    const shown = (length: number) => {
      const about = { toolName: "pay", args: "x".repeat(length - 2) };
      return toInputRequest(waitOf("approval", about))?.params.message.replace(/^.* with (.*)\?$/, "$1");
    };
    expect(shown(2000) === `"${"x".repeat(1998)}"`).toBe(true);
    const cut = shown(2001) ?? "";
    expect([cut.length, cut.slice(-3)]).toEqual([2000, "xx…"]);
  });

  it.each([
    ["approval", "Waits for the approval of a call of pay."],
    ["input", "Waits for the result of a call of pay, which the client has to make."],
    ["doubt", "Waits for word on whether a call of pay took place."],
    ["service", "Waits until the service has again what the run needs."],
  ])("the question of a run that waits of the kind %s is told in a sentence", (kind, sentence) => {
    expect(describeWait(waitOf(kind))).toBe(sentence);
  });
});

describe("the answer of a user", () => {
  const accept = (content: object) => ({ action: "accept", content });
  const declined = "The user declined.";
  const closed = "The user closed the question.";

  it.each<[string, unknown, Json | undefined]>([
    ["approval", { action: "accept" }, { approved: true }],
    ["approval", accept({ approved: false }), { approved: true }],
    ["approval", { action: "decline" }, { approved: false, reason: declined }],
    ["approval", { action: "cancel" }, { approved: false, reason: closed }],
    ["input", accept({ result: "Oslo" }), { result: "Oslo" }],
    ["input", accept({ result: "" }), { result: "" }],
    ["input", accept({ city: "Oslo" }), { result: { city: "Oslo" } }],
    ["input", { action: "accept" }, { result: {} }],
    ["input", { action: "decline" }, { error: declined }],
    ["input", { action: "cancel" }, { error: closed }],
    ["doubt", accept({ choice: "happened", result: "Paid." }), { choice: "happened", result: "Paid." }],
    ["doubt", accept({ choice: "happened" }), { choice: "happened", result: "" }],
    ["doubt", accept({ choice: "again", result: "Paid." }), { choice: "again" }],
    ["doubt", accept({ choice: "giveUp" }), { choice: "giveUp" }],
    ["doubt", accept({}), undefined],
    ["doubt", accept({ choice: 1 }), undefined],
    ["doubt", { action: "decline" }, undefined],
    ["doubt", { action: "cancel" }, undefined],
    ["service", accept({ choice: "again" }), undefined],
    ["service", { action: "decline" }, undefined],
    ["approval", { action: "ACCEPT" }, undefined],
    ["approval", {}, undefined],
    ["approval", null, undefined],
    ["approval", undefined, undefined],
    ["input", { content: { result: "Oslo" } }, undefined],
  ])("to a question of the kind %s: %j is %j", (kind, response, answer) => {
    expect(toAnswer(waitOf(kind), response)).toStrictEqual(answer);
  });
});
