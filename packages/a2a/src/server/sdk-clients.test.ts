import { A2AClient } from "a2a-sdk-02/client";
import { ClientFactory as ClientFactory03 } from "a2a-sdk-03/client";
import { TaskState } from "a2a-sdk-1";
import type { TaskPushNotificationConfig } from "a2a-sdk-1";
import { ClientFactory as ClientFactory1, RestTransportFactory } from "a2a-sdk-1/client";
import type { Client as Client1 } from "a2a-sdk-1/client";
import { describe, expect, it } from "vitest";
import { noLookup } from "../../test/receiver.ts";
import { heldAgent, scriptedAgent, serveA2A } from "../../test/serve-a2a.ts";
import type { ServedA2A } from "../../test/serve-a2a.ts";

/** The calls of a client, in the same words for all three generations of the SDK. */
type Peer = {
  send(text: string): Promise<object>;
  stream(text: string): AsyncIterable<object>;
  get(id: string): Promise<object>;
  cancel(id: string): Promise<object>;
  resubscribe(id: string): AsyncIterable<object>;
  list?(): Promise<object>;
  extendedCard?(): Promise<object>;
  push?: {
    set(config: TaskPushNotificationConfig): Promise<object>;
    get(config: { tenant: string; taskId: string; id: string }): Promise<object>;
    list(page: { tenant: string; taskId: string; pageSize: number; pageToken: string }): Promise<object>;
    delete(config: { tenant: string; taskId: string; id: string }): Promise<void>;
  };
};

let count = 0;
function old(text: string) {
  const message = {
    kind: "message",
    messageId: `o-${++count}`,
    role: "user",
    parts: [{ kind: "text", text }],
  } as const;
  return { message: { ...message, parts: [...message.parts] } };
}

const peers: Record<string, (url: string) => Promise<Peer>> = {
  async "0.2.5"(url) {
    const client = new A2AClient(url);
    return {
      send: async (text) => resultOf(await client.sendMessage(old(text))),
      stream: (text) => client.sendMessageStream(old(text)),
      get: async (id) => resultOf(await client.getTask({ id })),
      cancel: async (id) => resultOf(await client.cancelTask({ id })),
      resubscribe: (id) => client.resubscribeTask({ id }),
    };
  },
  async "0.3.14"(url) {
    const client = await new ClientFactory03().createFromUrl(url);
    return {
      send: (text) => client.sendMessage(old(text)),
      stream: (text) => client.sendMessageStream(old(text)),
      get: (id) => client.getTask({ id }),
      cancel: (id) => client.cancelTask({ id }),
      resubscribe: (id) => client.resubscribeTask({ id }),
    };
  },
  "1.3.0": async (url) => peer1(await new ClientFactory1().createFromUrl(url)),
  // It knows no other binding.
  "1.3.0 over HTTP+JSON": async (url) =>
    peer1(await new ClientFactory1({ transports: [new RestTransportFactory()] }).createFromUrl(url)),
};

function peer1(client: Client1): Peer {
  const message = (text: string) => ({
    tenant: "",
    message: {
      messageId: `n-${++count}`,
      contextId: "",
      taskId: "",
      role: 1,
      parts: [
        {
          content: { $case: "text" as const, value: text },
          metadata: undefined,
          filename: "",
          mediaType: "text/plain",
        },
      ],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: undefined,
    metadata: undefined,
  });
  return {
    send: (text) => client.sendMessage(message(text)),
    stream: (text) => client.sendMessageStream(message(text)),
    get: (id) => client.getTask({ tenant: "", id, historyLength: undefined }),
    cancel: (id) => client.cancelTask({ tenant: "", id, metadata: undefined }),
    resubscribe: (id) => client.resubscribeTask({ tenant: "", id }),
    extendedCard: () => client.getAgentCard(),
    push: {
      set: (config) => client.createTaskPushNotificationConfig(config),
      get: (config) => client.getTaskPushNotificationConfig(config),
      list: (page) => client.listTaskPushNotificationConfig(page),
      delete: (config) => client.deleteTaskPushNotificationConfig(config),
    },
    list: () =>
      client.listTasks({
        tenant: "",
        contextId: "",
        status: TaskState.TASK_STATE_UNSPECIFIED,
        pageSize: 2,
        pageToken: "",
        historyLength: undefined,
        statusTimestampAfter: undefined,
        includeArtifacts: true,
      }),
  };
}

function resultOf(response: object): object {
  if ("result" in response) return response.result as object;
  throw new Error(JSON.stringify(response));
}

/** Returns all strings in what a client gave, whatever its shape. */
function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** Returns the id of the task in the first event of a stream. */
function idIn(event: object): string {
  const { id, payload } = event as { id?: string; payload?: { value: { id: string } } };
  return id ?? payload?.value.id ?? "";
}

/** Makes the peer of a version, as Ada. */
async function connect(version: string, served: ServedA2A): Promise<Peer> {
  const make = peers[version];
  if (make === undefined) throw new Error(version);
  return await make(served.url);
}

describe.each(Object.keys(peers))("the official client %s", (version) => {
  it("sends a message and gets its task [a2a.sdk-clients]", async () => {
    const served = await serveA2A({ agents: { helper: scriptedAgent([{ text: "Good day." }]) } });
    const peer = await connect(version, served);

    const sent = await peer.send("Hi");
    expect(stringsIn(sent)).toContain("Good day.");
    const got = await peer.get(idIn(sent));
    expect(stringsIn(got)).toEqual(expect.arrayContaining(["Hi", "Good day."]));
  });

  it("streams, leaves, and resubscribes to the end [a2a.sdk-clients] [a2a.resubscribe]", async () => {
    const { agent, release, aborts } = heldAgent();
    const served = await serveA2A({ agents: { helper: agent } });
    const peer = await connect(version, served);

    const seen: object[] = [];
    for await (const event of peer.stream("Hi")) {
      seen.push(event);
      if (stringsIn(event).includes("One ")) break;
    }
    const id = idIn(seen[0] ?? {});
    const rest = peer.resubscribe(id)[Symbol.asyncIterator]();
    const { value: first } = await rest.next();
    expect(idIn(first as object)).toBe(id);
    release();
    const texts: string[] = [];
    for (let next = await rest.next(); next.done !== true; next = await rest.next())
      texts.push(...stringsIn(next.value));

    expect(texts).toEqual(expect.arrayContaining(["One ", "two."]));
    expect(aborts()).toBe(0);
    expect(stringsIn(await peer.get(id))).toContain("One two.");
  });

  it("cancels a task [a2a.sdk-clients] [a2a.tasks-cancel]", async () => {
    const { agent, aborts } = heldAgent();
    const served = await serveA2A({ agents: { helper: agent } });
    const peer = await connect(version, served);

    let id = "";
    for await (const event of peer.stream("Hi")) {
      if (id === "") id = idIn(event);
      else if (stringsIn(event).includes("One ")) await peer.cancel(id);
    }
    expect(aborts()).toBe(1);
    expect(JSON.stringify(await peer.get(id))).toMatch(/"state":(?:"canceled"|5)/);
  });
});

describe.each(["1.3.0", "1.3.0 over HTTP+JSON"])("the official client %s", (version) => {
  it("lists the tasks of its user, whoever else has some [a2a.sdk-clients] [a2a.list-tasks]", async () => {
    const answers = ["One.", "Two.", "Three.", "Eve's."].map((text) => ({ text }));
    const served = await serveA2A({ agents: { helper: scriptedAgent(answers) } }, "ada");
    const peer = await connect(version, served);
    for (const text of ["1", "2", "3"]) await peer.send(text);
    await served.call("message/send", old("4"), { as: "eve" });

    const page = (await peer.list?.()) as { tasks: object[]; totalSize: number; nextPageToken: string };
    expect(page).toMatchObject({ totalSize: 3, pageSize: 2, nextPageToken: expect.stringMatching(/./) });
    expect(page.tasks.map((task) => stringsIn(task).find((text) => text.endsWith(".")))).toEqual(["Three.", "Two."]);
  });

  it("sets, gets, lists and deletes push configs of a task [a2a.sdk-clients]", async () => {
    const agents = { helper: scriptedAgent([{ text: "Hi." }]) };
    const served = await serveA2A({ agents, pushNotifications: { lookup: noLookup } }, "ada");
    const peer = await connect(version, served);
    const taskId = idIn(await peer.send("Hi"));
    const config = { tenant: "", taskId, id: "p-1", url: "https://hooks.example/a2a", token: "t-1" };
    expect(await peer.push?.set({ ...config, authentication: undefined })).toMatchObject(config);
    expect(await peer.push?.get(config)).toMatchObject(config);
    expect(await peer.push?.list({ ...config, pageSize: 0, pageToken: "" })).toMatchObject({ configs: [config] });
    await peer.push?.delete(config);
    expect(await peer.push?.list({ ...config, pageSize: 0, pageToken: "" })).toMatchObject({ configs: [] });
    await expect(peer.push?.get(config)).rejects.toThrow(/no push notification config/);
  });

  it("gets the extended card of its user [a2a.sdk-clients] [a2a.extended-card]", async () => {
    const extendedCard = () => ({ description: "For you alone." });
    const served = await serveA2A({ agents: { helper: scriptedAgent([]) }, extendedCard }, "ada");
    const peer = await connect(version, served);
    expect(await peer.extendedCard?.()).toMatchObject({ name: "helper", description: "For you alone." });
  });
});
