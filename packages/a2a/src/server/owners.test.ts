import { checkOwners, principals } from "@troupe-internal/fault-tools";
import { Agent, InMemoryStorage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { noLookup } from "../../test/receiver.ts";
import { asUser, heldAgent, message0, message1, scriptedAgent, serveA2A, textsOf } from "../../test/serve-a2a.ts";
import type { ServedA2A } from "../../test/serve-a2a.ts";
import { questionTool } from "../agent/question.ts";

/** Of two users and of two tenants: of each there are two who differ in nothing else. */
const users = principals.slice(1, 5);

type User = (typeof users)[number];

/** A push config as it is listed. */
type Kept = { pushNotificationConfig: { url: string } };

/** The tasks that users have begun, by their ids. */
type Begun = Map<string, { readonly mark: string; readonly of: User }>;

const notFound = -32001;

/** Says what was said in a context, and asks back what is a question. */
function createTeller(): Agent {
  const model = new ScriptedModel().respond(({ messages }) => {
    const said = messages.flatMap(({ role, content }) => (role === "user" ? [content as string] : []));
    const last = messages.at(-1);
    if (last?.role === "user" && said.at(-1)?.endsWith("?"))
      return { toolCalls: [{ name: "ask_client", arguments: { question: "Which?" } }] };
    return said.join("; ");
  });
  return new Agent({
    name: "helper",
    model,
    storage: new InMemoryStorage(),
    tools: [questionTool({ name: "ask_client" })],
  });
}

/** Begins a task of a user, and returns its id. */
async function begin(served: ServedA2A, user: User, text: string): Promise<string> {
  const params = { ...message0(text), configuration: { blocking: false } };
  return (await served.call("message/send", params, asUser(user))).result.id;
}

/** Has a user call a method for each task. Returns the marks of those that it reached. All others are not found. */
async function reached(begun: Begun, ask: (id: string) => Promise<{ error?: { code: number } }>): Promise<string[]> {
  const found: string[] = [];
  for (const [id, { mark }] of begun) {
    const { error } = await ask(id);
    if (error === undefined) found.push(mark);
    else if (error.code !== notFound) throw new Error(`Expected no task, got ${error.code}.`);
  }
  return found;
}

const shows = [
  "packages/a2a/src/server/a2a-endpoint.ts",
  "packages/a2a/src/server/answer-call.ts",
  "packages/a2a/src/tasks/take-message.ts",
];

describe("users who differ in one field", () => {
  it("have tasks that no other reads, lists, follows or cancels [a2a.owners]", async () => {
    const { agent } = heldAgent();
    const served = await serveA2A({ agents: { helper: agent } });
    const begun: Begun = new Map();
    await checkOwners({
      shows: [...shows, "packages/a2a/src/tasks/list-tasks.ts", "packages/a2a/src/tasks/task-tail.ts"],
      owners: users,
      leave: async (of, mark) => begun.set(await begin(served, of, mark), { mark, of }),
      find: async (user) => {
        const found = await reached(begun, async (id) => await served.call("tasks/get", { id }, asUser(user)));
        const followed = [];
        for (const id of begun.keys()) {
          const left = new AbortController();
          const stream = served.stream("tasks/resubscribe", { id }, { ...asUser(user), signal: left.signal });
          const first = (await stream.next()).value;
          if (first !== undefined) followed.push(begun.get(first.id)?.mark);
          left.abort();
        }
        expect(followed).toEqual(found);
        const { tasks } = (await served.call("ListTasks", {}, asUser(user))).result;
        expect(tasks.flatMap(({ id }) => begun.get(id)?.mark ?? [])).toEqual(found);
        return found;
      },
      remove: async (user) => {
        const own = await reached(begun, async (id) => await served.call("tasks/cancel", { id }, asUser(user)));
        for (const [id, { mark, of }] of begun) if (of === user && own.includes(mark)) begun.delete(id);
        expect(own).toHaveLength(1);
      },
    });
  });

  it("answer their own task that waits, and nobody else's [a2a.owners]", async () => {
    const served = await serveA2A({ agents: { helper: createTeller() } });
    const begun: Begun = new Map();
    await checkOwners({
      shows,
      owners: users,
      leave: async (of, mark) => {
        const { result } = await served.call("message/send", message0(`${mark}?`), asUser(of));
        expect(result.status.state).toBe("input-required");
        begun.set(result.id, { mark, of });
      },
      find: async (user) => await reached(begun, async (id) => await served.call("tasks/get", { id }, asUser(user))),
      remove: async (user) => {
        const answer = async (taskId: string) =>
          await served.call("message/send", message0("Oslo.", { taskId }), asUser(user));
        const own = await reached(begun, answer);
        for (const [id, { mark, of }] of begun) if (of === user && own.includes(mark)) begun.delete(id);
        expect(own).toHaveLength(1);
      },
    });
  });

  it("have a session each under one context, and list its tasks with what they said [a2a.owners]", async () => {
    const agent = createTeller();
    const served = await serveA2A({ agents: { helper: agent } });
    const say = async (user: User, text: string) =>
      await served.call("SendMessage", message1(text, { contextId: "c" }), asUser(user));
    await checkOwners({
      shows: [...shows, "packages/a2a/src/tasks/list-tasks.ts"],
      owners: users,
      leave: say,
      find: async (user) => {
        const params = { contextId: "c", includeArtifacts: true };
        const { tasks } = (await served.call("ListTasks", params, asUser(user))).result;
        return tasks.flatMap(({ artifacts }) =>
          artifacts.flatMap(({ parts }) => parts.map((part) => (part as { text: string }).text)),
        );
      },
    });
    for (const user of users) {
      const again = message1("Again.", { contextId: "c" });
      const frames = await Array.fromAsync(served.stream("SendStreamingMessage", again, asUser(user)));
      expect(textsOf(frames).at(-1)).toMatch(/^of [^;]+; Again\.$/);
    }
  });

  it("have push notifications that no other sets, reads or deletes [a2a.push-owners]", async () => {
    const { agent } = heldAgent();
    const served = await serveA2A({ agents: { helper: agent }, pushNotifications: { lookup: noLookup } });
    const begun: Begun = new Map();
    const call = async (user: User, what: string, params: object) =>
      await served.call(`tasks/pushNotificationConfig/${what}`, params, asUser(user));
    const hook = "https://hooks.example/";
    const setAs = async (user: User, taskId: string, mark: string) =>
      await call(user, "set", { taskId, pushNotificationConfig: { id: "one", url: hook + encodeURIComponent(mark) } });
    await checkOwners({
      shows: ["packages/a2a/src/push/answer-push.ts", "packages/a2a/src/push/push-sender.ts"],
      owners: users,
      leave: async (of, mark) => {
        begun.set(await begin(served, of, mark), { mark, of });
        expect(await reached(begun, async (id) => await setAs(of, id, mark))).toEqual([mark]);
      },
      find: async (user) => {
        const urls: string[] = [];
        await reached(begun, async (id) => {
          const { result } = (await call(user, "list", { id })) as unknown as { result?: Kept[] };
          urls.push(...(result ?? []).map(({ pushNotificationConfig }) => pushNotificationConfig.url));
          return await call(user, "get", { id, pushNotificationConfigId: "one" });
        });
        return urls.map((url) => decodeURIComponent(url.slice(hook.length)));
      },
      remove: async (user) => {
        await reached(begun, async (id) => await call(user, "delete", { id, pushNotificationConfigId: "one" }));
      },
    });
  });

  it("get an extended card each [a2a.extended-card]", async () => {
    const marks = new Map<string, string>();
    const served = await serveA2A({
      agents: { helper: createTeller() },
      extendedCard: ({ principal }) => {
        return { description: marks.get(JSON.stringify(principal)) ?? "Nothing." };
      },
    });
    await checkOwners({
      shows: ["packages/a2a/src/server/answer-card.ts"],
      owners: users,
      leave: async (user, mark) => await Promise.resolve(marks.set(JSON.stringify(user), mark)),
      find: async (user) => {
        const { result } = await served.call("GetExtendedAgentCard", {}, asUser(user));
        return [(result as unknown as { description: string }).description];
      },
    });
  });
});

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
