import { InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { describe, expect, it, onTestFinished } from "vitest";
import { noLookup, receive } from "../../test/receiver.ts";
import { heldAgent, message0, message1, scriptedAgent, serveA2A } from "../../test/serve-a2a.ts";

const hook = "https://hooks.example/a2a";
const set0 = "tasks/pushNotificationConfig/set";
const get0 = "tasks/pushNotificationConfig/get";
const list0 = "tasks/pushNotificationConfig/list";
const delete0 = "tasks/pushNotificationConfig/delete";

/** Serves an agent that is at work, and begins a task of Ada's. */
async function serveTask() {
  const { agent, release } = heldAgent();
  const served = await serveA2A({ agents: { helper: agent }, pushNotifications: { lookup: noLookup } }, "ada");
  onTestFinished(release);
  const begun = await served.call("message/send", { ...message0("Hi"), configuration: { blocking: false } });
  const call = async (method: string, params: object, as?: string) =>
    (await served.call(method, params, as === undefined ? {} : { as })) as unknown as {
      result: unknown;
      error: { code: number; message: string };
    };
  return { served, taskId: begun.result.id, call };
}

describe("push notifications that are not offered", () => {
  it("are refused by their own error, with any parameters, and are not in the card [a2a.no-push]", async () => {
    const served = await serveA2A({ agents: { helper: scriptedAgent([{ text: "Hi." }]) } });
    const configuration = { pushNotificationConfig: { url: "http://169.254.169.254/" } };
    expect((await served.call("message/send", { ...message0("Hi"), configuration })).error.code).toBe(-32003);
    for (const method of [set0, get0, list0, delete0, "CreateTaskPushNotificationConfig"]) {
      expect((await served.call(method, {})).error.code).toBe(-32003);
    }
    const card = (await (await fetch(`${served.url}/.well-known/agent-card.json`)).json()) as object;
    expect(card).toMatchObject({ capabilities: { pushNotifications: false } });
    expect((await fetch(`${served.url}/.well-known/jwks.json`)).status).toBe(404);
  });

  it("need sealKeys where tasks last: without them no server is made [a2a.push-sealed]", async () => {
    const agents = { helper: scriptedAgent([]) };
    const storage = new InMemoryStorage();
    const lasting = { ...driverOf(storage) };
    const runs = new RunService({ agents, storage: lasting, sealKeys: false });
    await expect(serveA2A({ agents, runs, pushNotifications: true })).rejects.toThrow(/sealKeys/);
    await expect(serveA2A({ agents, pushNotifications: { signingKey: "no key" } })).rejects.toThrow(/signingKey/);
    await expect(serveA2A({ agents, pushNotifications: { retries: 1 } as object })).rejects.toThrow(/retries/);
  });
});

/** The members of a storage, as those of a driver that is not known to be in memory. */
function driverOf(storage: InMemoryStorage) {
  return {
    get: storage.get.bind(storage),
    set: storage.set.bind(storage),
    delete: storage.delete.bind(storage),
    list: storage.list.bind(storage),
    compareAndSet: storage.compareAndSet.bind(storage),
    close: async () => {},
  };
}

describe("push configs of a task in A2A 0.x", () => {
  it("are set, got, listed and deleted; without an id there is one [a2a.push-configs-0]", async () => {
    const { served, taskId, call } = await serveTask();
    const card = (await (await fetch(`${served.url}/.well-known/agent.json`)).json()) as object;
    expect(card).toMatchObject({ capabilities: { pushNotifications: true } });
    const given = { url: hook, token: "t1", authentication: { schemes: ["Bearer"], credentials: "s3cret" } };
    const shown = { url: hook, token: "t1", authentication: { schemes: ["Bearer"] }, id: "default" };

    const { result } = await call(set0, { taskId, pushNotificationConfig: given });
    expect(result).toEqual({ taskId, pushNotificationConfig: shown });
    for (const which of [{}, { pushNotificationConfigId: "default" }]) {
      expect((await call(get0, { id: taskId, ...which })).result).toEqual(result);
    }
    // Again without an id: it is the same config.
    await call(set0, { taskId, pushNotificationConfig: { url: `${hook}/2` } });
    await call(set0, { taskId, pushNotificationConfig: { id: "two", url: `${hook}/3` } });
    const listed = (await call(list0, { id: taskId })).result as {
      pushNotificationConfig: { id: string; url: string };
    }[];
    expect(listed.map(({ pushNotificationConfig: { id, url } }) => [id, url])).toEqual([
      ["default", `${hook}/2`],
      ["two", `${hook}/3`],
    ]);
    for (let times = 0; times < 2; times++) {
      expect((await call(delete0, { id: taskId, pushNotificationConfigId: "default" })).result).toBeNull();
    }
    expect(((await call(list0, { id: taskId })).result as object[]).length).toBe(1);
    // The only one is the default, whatever its id.
    expect((await call(get0, { id: taskId, pushNotificationConfigId: "default" })).result).toMatchObject({
      pushNotificationConfig: { id: "two" },
    });
    expect((await call(get0, { id: taskId, pushNotificationConfigId: "none" })).error.code).toBe(-32001);
  });

  it("are their task's user's alone: for others there is no task [a2a.push-owners]", async () => {
    const { taskId, call } = await serveTask();
    const config = { id: "one", url: hook };
    await call(set0, { taskId, pushNotificationConfig: config });
    const tries: [string, (id: string) => object][] = [
      [set0, (id) => ({ taskId: id, pushNotificationConfig: config })],
      [get0, (id) => ({ id })],
      [list0, (id) => ({ id })],
      [delete0, (id) => ({ id, pushNotificationConfigId: "one" })],
      ["CreateTaskPushNotificationConfig", (id) => ({ taskId: id, ...config })],
      ["GetTaskPushNotificationConfig", (id) => ({ taskId: id, id: "one" })],
      ["ListTaskPushNotificationConfigs", (id) => ({ taskId: id })],
      ["DeleteTaskPushNotificationConfig", (id) => ({ taskId: id, id: "one" })],
      [
        "message/send",
        (id) => ({ ...message0("Hi", { taskId: id }), configuration: { pushNotificationConfig: config } }),
      ],
    ];
    for (const [method, params] of tries) {
      const foreign = await call(method, params(taskId), "eve");
      expect(foreign.error.code).toBe(-32001);
      expect(foreign.error).toEqual((await call(method, params("nowhere"), "eve")).error);
    }
    expect(((await call(list0, { id: taskId })).result as object[]).length).toBe(1);
  });

  it("are checked: addresses, secrets that are headers, and their number [a2a.push-checks]", async () => {
    const { taskId, call } = await serveTask();
    const wrong = [
      {},
      { url: "" },
      { url: "hooks.example" },
      { url: "http://hooks.example/plain" },
      { url: "https://user:pass@hooks.example/" },
      { url: "https://127.0.0.1/" },
      { url: "file:///etc/passwd" },
      { url: `${hook}/${"x".repeat(3000)}` },
      { url: hook, token: "a\r\nb: c" },
      { url: hook, token: 1 },
      { url: hook, id: "x".repeat(129) },
      { url: hook, authentication: { schemes: ["Bearer\r\n"] } },
      { url: hook, authentication: { schemes: ["Bearer"], credentials: "s3cret\n" } },
      { url: hook, authentication: {} },
    ];
    for (const pushNotificationConfig of wrong) {
      const { error } = await call(set0, { taskId, pushNotificationConfig });
      expect([pushNotificationConfig, error.code]).toEqual([pushNotificationConfig, -32602]);
      expect(JSON.stringify(error)).not.toMatch(/s3cret|pass@|etc/);
    }
    const configuration = { pushNotificationConfig: { url: "https://10.0.0.1/" } };
    expect((await call("message/send", { ...message0("Hi"), configuration })).error.code).toBe(-32602);
    expect((await call(list0, { id: taskId })).result).toEqual([]);
    for (let index = 0; index < 10; index++) {
      await call(set0, { taskId, pushNotificationConfig: { id: `${index}`, url: hook } });
    }
    const more = await call(set0, { taskId, pushNotificationConfig: { id: "more", url: hook } });
    expect(more.error).toMatchObject({ code: -32602, message: expect.stringContaining("at most 10") });
  });
});

describe.each(["JSONRPC", "HTTP+JSON"])("push configs of a task in A2A 1.0 over %s", (binding) => {
  it("PUSH-CREATE-001, PUSH-GET-001, PUSH-GET-002, PUSH-LIST-001, PUSH-DEL-001, PUSH-DEL-002 [a2a.push-configs-1]", async () => {
    const { served, taskId, call } = await serveTask();
    const path = `${served.url}/rest/tasks/${taskId}/pushNotificationConfigs`;
    const rest = async (method: string, address: string, body?: object) => {
      const init = body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
      const response = await fetch(address, { method, ...init });
      const answer = (await response.json()) as { error?: { code: number } };
      return response.ok ? { result: answer, error: undefined } : { result: undefined, error: answer.error };
    };
    const isRest = binding === "HTTP+JSON";
    const create = async (config: object) =>
      isRest ? rest("POST", path, config) : call("CreateTaskPushNotificationConfig", { taskId, ...config });
    const get = async (id: string) =>
      isRest ? rest("GET", `${path}/${id}`) : call("GetTaskPushNotificationConfig", { taskId, id });
    const list = async (query: Record<string, string> = {}) =>
      isRest
        ? rest("GET", `${path}?${new URLSearchParams(query).toString()}`)
        : call("ListTaskPushNotificationConfigs", { taskId, ...query });
    const remove = async (id: string) =>
      isRest ? rest("DELETE", `${path}/${id}`) : call("DeleteTaskPushNotificationConfig", { taskId, id });

    const authentication = { scheme: "Bearer", credentials: "s3cret" };
    const { result } = await create({ url: hook, token: "t1", authentication });
    const { id } = result as { id: string };
    expect(result).toEqual({ taskId, id, url: hook, token: "t1", authentication: { scheme: "Bearer" } });
    expect(id).toMatch(/^[\w-]{8,}$/);
    expect((await get(id)).result).toEqual(result);
    // Without an id each is a new one.
    await create({ url: hook });
    await create({ url: hook, id: "mine" });
    const all = (await list()).result as { configs: { id: string }[]; nextPageToken: string };
    expect(all.configs).toHaveLength(3);
    expect(all).toMatchObject({ nextPageToken: "", configs: [{ id }, {}, { id: "mine" }] });
    const first = (await list({ pageSize: "2" })).result as typeof all;
    expect(first.configs).toEqual(all.configs.slice(0, 2));
    const second = (await list({ pageSize: "2", pageToken: first.nextPageToken })).result;
    expect(second).toEqual({ configs: all.configs.slice(2), nextPageToken: "" });

    expect((await remove(id)).result).toEqual({});
    expect((await remove(id)).result).toEqual({});
    const gone = await get(id);
    expect(gone.error?.code).toBe(isRest ? 404 : -32001);
    expect(((await list()).result as typeof all).configs).toHaveLength(2);
  });
});

describe("a push config of a task that is over", () => {
  it("PUSH-CREATE-002: is kept with the task, and nothing is sent [a2a.push-configs-1]", async () => {
    const receiver = await receive();
    const agents = { helper: scriptedAgent([{ text: "Hi." }]) };
    const served = await serveA2A({ agents, pushNotifications: { allowPrivateHosts: [receiver.host] } });
    const { result } = await served.call("SendMessage", message1("Hi"));
    const taskId = result.task.id;
    await served.call("CreateTaskPushNotificationConfig", { taskId, id: "late", url: receiver.url });
    const got = await served.call("GetTaskPushNotificationConfig", { taskId, id: "late" });
    expect(got.result).toMatchObject({ taskId, id: "late" });
    expect(receiver.notified).toEqual([]);
  });
});
