import { describe, expect, it } from "vitest";
import { bindings, serveChecked, toPayer } from "../../test/checked-client.ts";
import { problems1 } from "../../test/schemas.ts";
import { message1 } from "../../test/serve-a2a.ts";
import type { Received } from "../../test/serve-a2a.ts";

const ben = { as: "ben" };
const working = ["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"];

// The names in front of the titles are those of the requirement table of A2A 1.0.
describe.each(bindings)("requirements of A2A 1.0 on tasks, over %s [a2a.requirements-tasks]", (binding) => {
  it("CORE-SEND-001, CORE-EXECUTION-MODE-001, DM-TASK-001: a message returns a task that is over, with its answer", async () => {
    const task = await (await serveChecked(binding)).send("Hi");
    expect(task).toMatchObject({
      status: { state: "TASK_STATE_COMPLETED" },
      artifacts: [{ parts: [{ text: "Answer 1." }] }],
    });
  });

  it("CORE-EXECUTION-MODE-001: a message returns a task that waits for its client", async () => {
    const task = await (await serveChecked(binding)).send("Pay", toPayer);
    expect(task.status).toMatchObject({ state: "TASK_STATE_INPUT_REQUIRED", message: { role: "ROLE_AGENT" } });
  });

  it("CORE-EXECUTION-MODE-002: a client that does not wait gets its task at once", async () => {
    const client = await serveChecked(binding);
    const { result } = await client.call("SendMessage", {
      ...message1("Hi"),
      configuration: { returnImmediately: true },
    });
    expect(problems1("SendMessageResponse", result)).toEqual([]);
    expect(working).toContain(result.task.status.state);
    const stateOf = async () => (await client.call("GetTask", { id: result.task.id })).result.status.state;
    await expect.poll(stateOf).toBe("TASK_STATE_COMPLETED");
  });

  it("CORE-SEND-002: a task that is over takes no message", async () => {
    const client = await serveChecked(binding);
    const { id } = await client.send("Hi");
    expect((await client.call("SendMessage", message1("More", { taskId: id }))).error.code).toBe(-32004);
  });

  it("CORE-GET-001, CORE-GET-002: a task is as it was returned, and an unknown one is not found", async () => {
    const client = await serveChecked(binding);
    const task = await client.send("Hi");
    const { result } = await client.call("GetTask", { id: task.id });
    expect(result).toEqual(task);
    expect(problems1("Task", result)).toEqual([]);
    expect((await client.call("GetTask", { id: "nowhere" })).error).toMatchObject({
      code: -32001,
      data: [{ reason: "TASK_NOT_FOUND", domain: "a2a-protocol.org" }],
    });
  });

  it("CORE-CANCEL-001, CORE-CANCEL-002, CORE-CANCEL-003: a task that waits is canceled, one that is over is not", async () => {
    const client = await serveChecked(binding);
    const waiting = await client.send("Pay", toPayer);
    const { result } = await client.call("CancelTask", { id: waiting.id });
    expect(problems1("Task", result)).toEqual([]);
    expect(result.status.state).toBe("TASK_STATE_CANCELED");
    expect((await client.call("CancelTask", { id: waiting.id })).result.status.state).toBe("TASK_STATE_CANCELED");
    const { id } = await client.send("Hi");
    expect((await client.call("CancelTask", { id })).error.code).toBe(-32002);
    expect((await client.call("CancelTask", { id: "nowhere" })).error.code).toBe(-32001);
  });

  it("CORE-MULTI-001a, CORE-MULTI-002, CORE-MULTI-003: a task has a new id, and the client's context or a new one", async () => {
    const client = await serveChecked(binding);
    const first = await client.send("Hi");
    const second = await client.send("Hi");
    expect(new Set([first.id, second.id, first.contextId, second.contextId]).size).toBe(4);
    expect((await client.send("Hi", { contextId: "chat-1" })).contextId).toBe("chat-1");
  });

  it("CORE-MULTI-002a, CORE-MULTI-004, CORE-MULTI-006: a context or task that cannot be is refused", async () => {
    const client = await serveChecked(binding);
    const { id } = await client.send("Pay", toPayer);
    expect((await client.call("SendMessage", message1("Hi", { contextId: "no spaces" }))).error.code).toBe(-32602);
    expect((await client.call("SendMessage", message1("Hi", { taskId: "nowhere" }))).error.code).toBe(-32001);
    const mixed = await client.call("SendMessage", message1("Hi", { taskId: id, contextId: "other" }));
    expect(mixed.error.code).toBe(-32602);
  });

  it("CORE-MULTI-005, CORE-HIST-005, CORE-HIST-006: a message with the task alone goes on in its context, and history keeps all in order", async () => {
    const client = await serveChecked(binding);
    const waiting = await client.send("Pay five", toPayer);
    const task = await client.send("Approved", { taskId: waiting.id });
    expect(task).toMatchObject({
      id: waiting.id,
      contextId: waiting.contextId,
      status: { state: "TASK_STATE_COMPLETED" },
    });
    const ofUser = task.history.filter(({ role }) => role === "ROLE_USER");
    expect(ofUser.map(({ parts }) => parts)).toEqual([[{ text: "Pay five" }], [{ text: "Approved" }]]);
  });

  it("CORE-HIST-001, CORE-HIST-002, CORE-HIST-003: history is no longer than asked for", async () => {
    const client = await serveChecked(binding);
    const waiting = await client.send("Pay", toPayer);
    const { id } = await client.send("Approved", { taskId: waiting.id });
    const lengthOf = async (historyLength: number) => {
      const { result } = await client.call("GetTask", { id, historyLength });
      return result.history?.length ?? 0;
    };
    expect([await lengthOf(0), await lengthOf(1), await lengthOf(2)]).toEqual([0, 1, 2]);
    const configuration = { historyLength: 0 };
    const sent = await client.call("SendMessage", { ...message1("Hi"), configuration });
    expect(sent.result.task).not.toHaveProperty("history");
    expect((await client.call("GetTask", { id, historyLength: -1 })).error.code).toBe(-32602);
  });

  it("CORE-LIST-001 to CORE-LIST-005, AUTH-SCOPE-001, AUTH-SCOPE-002: a caller's own tasks are listed by pages, the newest first", async () => {
    const client = await serveChecked(binding);
    const ids: string[] = [];
    for (const text of ["a", "b", "c"]) ids.unshift((await client.send(text)).id);
    const foreign = await client.send("d", {}, ben);
    const pages: Received[] = [];
    for (let pageToken = ""; pages.length === 0 || pageToken !== ""; pageToken = pages.at(-1)?.nextPageToken ?? "") {
      const { result } = await client.call("ListTasks", { pageSize: 2, pageToken });
      expect(problems1("ListTasksResponse", result)).toEqual([]);
      pages.push(result);
    }
    expect(pages.map(({ tasks }) => tasks.length)).toEqual([2, 1]);
    expect(pages.map(({ totalSize }) => totalSize)).toEqual([3, 3]);
    const full = await client.call("ListTasks", { pageSize: 3 });
    expect(full.result).toMatchObject({ tasks: [{}, {}, {}], nextPageToken: "" });
    const listed = pages.flatMap(({ tasks }) => tasks);
    expect(new Set(listed.map(({ id }) => id))).toEqual(new Set(ids));
    expect(listed.map(({ id }) => id)).not.toContain(foreign.id);
    const times = listed.map(({ status }) => status.timestamp);
    expect(times).toEqual(times.toSorted().toReversed());
    for (const task of listed) expect(task).not.toHaveProperty("artifacts");
    const whole = await client.call("ListTasks", { includeArtifacts: true });
    for (const task of whole.result.tasks) expect(task.artifacts).toHaveLength(1);
    expect((await client.call("ListTasks", {}, {})).result).toMatchObject({
      tasks: [],
      nextPageToken: "",
      totalSize: 0,
    });
    expect((await client.call("ListTasks", { pageToken: "made up" })).error.code).toBe(-32602);
  });

  it("AUTH-SCOPE-003: a task of another caller does not exist, whatever is asked of it", async () => {
    const client = await serveChecked(binding);
    const { id, contextId } = await client.send("Pay", toPayer);
    for (const [method, params] of [
      ["GetTask", { id }],
      ["CancelTask", { id }],
      ["SubscribeToTask", { id }],
      ["SendMessage", message1("Approved", { taskId: id })],
      ["SendStreamingMessage", message1("Approved", { taskId: id, contextId })],
    ] as const) {
      for (const other of [ben, {}]) {
        const foreign = await client.call(method, params, other);
        const unknown = await client.call(method, JSON.parse(JSON.stringify(params).replaceAll(id, "nowhere")), other);
        expect(foreign.error.code).toBe(-32001);
        expect(foreign.error).toEqual(unknown.error);
      }
    }
    expect((await client.call("GetTask", { id })).result.status.state).toBe("TASK_STATE_INPUT_REQUIRED");
  });

  it("CORE-CAP-001, CORE-CAP-003, VER-SERVER-002: what is not offered is told by its own error", async () => {
    const client = await serveChecked(binding);
    for (const [method, code] of [
      ["CreateTaskPushNotificationConfig", -32003],
      ["ListTaskPushNotificationConfigs", -32003],
      ["GetExtendedAgentCard", -32004],
      ["NoSuchMethod", -32601],
    ] as const) {
      expect((await client.call(method, {})).error.code).toBe(code);
    }
    const headers = { "a2a-version": "99.0" };
    expect((await client.call("SendMessage", message1("Hi"), { headers })).error.code).toBe(-32009);
  });
});

describe("requirements of A2A 1.0 on requests of JSON-RPC [a2a.requirements-tasks]", () => {
  it("JSONRPC-FMT-002: a body that is not JSON by its type is refused", async () => {
    const { url } = (await serveChecked()).served;
    const response = await fetch(url, { method: "POST", headers: { "content-type": "text/plain" }, body: "{}" });
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32005 } });
  });
});
