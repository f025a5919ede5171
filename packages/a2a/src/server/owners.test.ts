import { describe, expect, it } from "vitest";
import { heldAgent, message0, message1, scriptedAgent, serveA2A } from "../../test/serve-a2a.ts";

describe("a task of another user", () => {
  it("does not exist: no method tells it from an unknown one [a2a.owners]", async () => {
    const { agent, aborts } = heldAgent();
    const served = await serveA2A({ agents: { helper: agent } });
    const send = { ...message0("Hi"), configuration: { blocking: false } };
    const { result } = await served.call("message/send", send, { as: "ada" });
    const unknown = "00000000-0000-4000-8000-000000000000";

    for (const as of ["eve", undefined]) {
      const asked = as === undefined ? {} : { as };
      for (const method of ["tasks/get", "tasks/cancel", "GetTask", "CancelTask", "SubscribeToTask"]) {
        const foreign = await served.call(method, { id: result.id }, asked);
        expect(foreign.error).toEqual((await served.call(method, { id: unknown }, asked)).error);
        expect(foreign.error.code).toBe(-32001);
      }
      const answered = await served.call("message/send", message0("Mine", { taskId: result.id }), asked);
      expect(answered.error.code).toBe(-32001);
      await expect(Array.fromAsync(served.stream("tasks/resubscribe", { id: result.id }, asked))).resolves.toEqual([
        undefined,
      ]);
    }
    expect(aborts()).toBe(0);
    expect((await served.call("tasks/cancel", { id: result.id }, { as: "ada" })).result.status.state).toBe("canceled");
  });

  it("has a session that is another one under the same context [a2a.owners]", async () => {
    const agent = scriptedAgent([{ text: "One." }, { text: "Two." }]);
    const served = await serveA2A({ agents: { helper: agent } });
    for (const as of ["ada", "eve"]) await served.call("message/send", message0("Hi", { contextId: "c" }), { as });
    expect((await agent.sessions.readTurns("c", { owner: { userId: "ada" } })).turns).toHaveLength(1);
    expect((await agent.sessions.readTurns("c", { owner: { userId: "eve" } })).turns).toHaveLength(1);
  });
});

describe("ListTasks", () => {
  it("lists the caller's tasks by the time of their status, in pages, as its parameters ask [a2a.list-tasks]", async () => {
    const answers = Array.from({ length: 5 }, (_, index) => ({ text: `${index}.` }));
    const served = await serveA2A({ agents: { helper: scriptedAgent(answers) } });
    const ids: string[] = [];
    for (let index = 0; index < 5; index++) {
      const { result } = await served.call("SendMessage", message1("Hi", { contextId: `c${index % 2}` }), {
        as: "ada",
      });
      ids.unshift(result.task.id);
    }
    const seen: string[] = [];
    let pageToken = "";
    do {
      const { result } = await served.call("ListTasks", { pageSize: 2, pageToken, historyLength: 0 }, { as: "ada" });
      expect(result).toMatchObject({ pageSize: 2, totalSize: 5 });
      for (const task of result.tasks) expect(Object.keys(task).toSorted()).toEqual(["contextId", "id", "status"]);
      seen.push(...result.tasks.map(({ id }) => id));
      pageToken = result.nextPageToken;
    } while (pageToken !== "");
    expect(seen.toSorted()).toEqual(ids.toSorted());

    const inContext = await served.call("ListTasks", { contextId: "c1", includeArtifacts: true }, { as: "ada" });
    expect(inContext.result.tasks.map(({ artifacts }) => artifacts[0]?.parts)).toEqual([
      [{ text: "3." }],
      [{ text: "1." }],
    ]);
    const failed = await served.call("ListTasks", { status: "TASK_STATE_FAILED" }, { as: "ada" });
    expect(failed.result).toEqual({ tasks: [], nextPageToken: "", pageSize: 50, totalSize: 0 });
    const since = { statusTimestampAfter: new Date(Date.now() + 60_000).toISOString() };
    expect((await served.call("ListTasks", since, { as: "ada" })).result.totalSize).toBe(0);
    expect((await served.call("ListTasks", { pageToken: "!" }, { as: "ada" })).error.code).toBe(-32602);
    expect((await served.call("ListTasks", {})).result.tasks).toEqual([]);
  });
});
