import { A2AClient } from "a2a-sdk-02/client";
import { ClientFactory as ClientFactory03 } from "a2a-sdk-03/client";
import { ClientFactory as ClientFactory1, RestTransportFactory } from "a2a-sdk-1/client";
import type { Client as Client1 } from "a2a-sdk-1/client";
import { describe, expect, it } from "vitest";
import { receive } from "../../test/receiver.ts";
import { heldAgent, message0, serveA2A, untilState } from "../../test/serve-a2a.ts";

/** The calls of a client for the config of a task: it sets one and returns it, lists and deletes. */
type Peer = {
  set(taskId: string, config: { id: string; url: string; token: string }): Promise<object>;
  get(taskId: string, id: string): Promise<object>;
  list(taskId: string): Promise<object[]>;
  remove(taskId: string, id: string): Promise<unknown>;
};

function peer1(client: Client1): Peer {
  const of = (taskId: string) => ({ tenant: "", taskId });
  return {
    set: (taskId, config) =>
      client.createTaskPushNotificationConfig({ ...of(taskId), ...config, authentication: undefined }),
    get: (taskId, id) => client.getTaskPushNotificationConfig({ ...of(taskId), id }),
    list: async (taskId) => {
      const { configs } = await client.listTaskPushNotificationConfig({ ...of(taskId), pageSize: 0, pageToken: "" });
      return configs;
    },
    remove: (taskId, id) => client.deleteTaskPushNotificationConfig({ ...of(taskId), id }),
  };
}

const peers: Record<string, (url: string) => Promise<Peer>> = {
  "0.2.5": async (url) => {
    const client = new A2AClient(url);
    return {
      set: (taskId, pushNotificationConfig) => client.setTaskPushNotificationConfig({ taskId, pushNotificationConfig }),
      get: (id) => client.getTaskPushNotificationConfig({ id }),
      // It can neither list nor delete: by hand.
      list: async (id) => (await post(url, "tasks/pushNotificationConfig/list", { id })) as object[],
      remove: (id, pushNotificationConfigId) =>
        post(url, "tasks/pushNotificationConfig/delete", { id, pushNotificationConfigId }),
    };
  },
  "0.3.14": async (url) => {
    const client = await new ClientFactory03().createFromUrl(url);
    return {
      set: (taskId, pushNotificationConfig) => client.setTaskPushNotificationConfig({ taskId, pushNotificationConfig }),
      get: (id) => client.getTaskPushNotificationConfig({ id }),
      list: (id) => client.listTaskPushNotificationConfig({ id }),
      remove: (id, pushNotificationConfigId) =>
        client.deleteTaskPushNotificationConfig({ id, pushNotificationConfigId }),
    };
  },
  "1.3.0": async (url) => peer1(await new ClientFactory1().createFromUrl(url)),
  "1.3.0 over HTTP+JSON": async (url) =>
    peer1(await new ClientFactory1({ transports: [new RestTransportFactory()] }).createFromUrl(url)),
};

async function post(url: string, method: string, params: object): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return ((await (await fetch(url, { method: "POST", headers, body })).json()) as { result: unknown }).result;
}

async function connect(version: string, url: string): Promise<Peer> {
  const make = peers[version];
  if (make === undefined) throw new Error(version);
  return await make(url);
}

describe.each(Object.keys(peers))("the official client %s", (version) => {
  it("sets, gets, lists and deletes push configs, and its receiver is notified [a2a.push-sdk-clients]", async () => {
    const receiver = await receive();
    const { agent, release } = heldAgent();
    const pushNotifications = { allowPrivateHosts: [receiver.host] };
    const served = await serveA2A({ agents: { helper: agent }, pushNotifications });
    const begun = await served.call("message/send", { ...message0("Hi"), configuration: { blocking: false } });
    const taskId = begun.result.id;
    await untilState(served, taskId, "working");

    const peer = await connect(version, served.url);
    const shown = await peer.set(taskId, { id: "one", url: receiver.url, token: "t1" });
    expect(JSON.stringify(shown)).toContain(receiver.url);
    expect(JSON.stringify(await peer.get(taskId, "one"))).toContain('"token":"t1"');
    await peer.set(taskId, { id: "two", url: `${receiver.url}/2`, token: "t2" });
    expect(await peer.list(taskId)).toHaveLength(2);
    await peer.remove(taskId, "two");
    expect(JSON.stringify(await peer.list(taskId))).not.toContain("t2");
    release();
    await untilState(served, taskId, "completed");
    const ofOne = () => receiver.notified.filter(({ headers }) => headers["x-a2a-notification-token"] === "t1");
    await expect.poll(() => ofOne().some(({ text }) => /completed/i.test(text))).toBe(true);
  });
});
