import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createServer } from "node:net";
import type { LookupFunction } from "node:net";
import { networkInterfaces } from "node:os";
import { freePort } from "@troupe-internal/fault-tools";
import { createLogger } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import fc from "fast-check";
import { describe, expect, inject, it, onTestFinished, vi } from "vitest";
import { card1, fakeRemote, sendJson } from "../../test/fake-remote.ts";
import { privateUrl, resolvedAddresses } from "../../test/private-urls.ts";
import { noLookup, receive } from "../../test/receiver.ts";
import { heldAgent, message0, message1, scriptedAgent, serveA2A } from "../../test/serve-a2a.ts";
import type { TaskRun } from "../tasks/task-runs.ts";
import { dialect03 } from "../wire/dialect-0.ts";
import { A2ARemoteAgent } from "../client/remote-agent.ts";
import type { PushOptions } from "./push-options.ts";
import { PushSender } from "./push-sender.ts";

const numRuns = { few: 100, many: 20_000 }[inject("trials")];
const someRuns = { few: 10, many: 2000 }[inject("trials")];

/** Listens on the loopback addresses of this machine, and counts the connections. */
async function setTrap(): Promise<{ port: number; connections: () => number }> {
  let connections = 0;
  const found = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []);
  const port = await freePort();
  for (const host of ["127.0.0.1", "::1"].filter((each) => found.includes(each))) {
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(port, host, resolve));
    onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  }
  return { port, connections: () => connections };
}

/** Counts every socket that this process opens. */
function countSockets(): () => number {
  let sockets = 0;
  const count = (): void => void (sockets += 1);
  subscribe("net.client.socket", count);
  onTestFinished(() => void unsubscribe("net.client.socket", count));
  return () => sockets;
}

/** Makes what sets configs of a task that is over, and sends its notifications, and what it logs. */
async function makePost(options: Pick<PushOptions, "allowPrivateHosts" | "lookup"> = {}) {
  const logged: string[] = [];
  const { allowPrivateHosts = [], lookup } = options;
  const settings = { allowPrivateHosts, timeoutMs: 5000, retryMs: 1, maxPerTask: 10, ...(lookup && { lookup }) };
  const logger = createLogger({ write: (line) => void logged.push(line), level: "warn" });
  const service = new RunService({ agents: { helper: scriptedAgent([{ text: "Hi." }]) }, logger });
  onTestFinished(async () => await service.close());
  await service.serve();
  const { runId } = await service.accept({ kind: "agent", name: "helper", input: "Hi", owner: {} });
  while ((await service.get(runId, "host")).status !== "completed")
    await new Promise((resolve) => setImmediate(resolve));
  const post = new PushSender({ settings, durable: service, issuer: undefined, basePath: "" });
  const task = { run: { service, runId } } as unknown as TaskRun;
  const checkUrl = async (url: string) => await post.check({ url });
  const send = async (url: string) => {
    await post.set(task, { config: { id: "c", url }, dialect: dialect03, owner: {}, fromStart: true });
    await service.webhooks.emptied();
  };
  return { checkUrl, send, logged };
}

/** A task that is over has two notifications in A2A 0.3: that it works, and its end. */
const each = 2;

const publicAddresses = ["8.8.8.8", "2606:4700:4700::1111"];

/** A name server of the test's own. */
function answering(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  return (_hostname, _options, callback) => callback(null, all);
}

/** A name server of the test's own that keeps the names that it was asked for. */
function countLookups(addresses: readonly string[]): { lookup: LookupFunction; names: () => string[] } {
  const names: string[] = [];
  const lookup: LookupFunction = (hostname, options, callback) => {
    names.push(hostname);
    answering(addresses)(hostname, options, callback);
  };
  return { lookup, names: () => names };
}

describe("push notifications to private addresses", () => {
  it("open no socket, whatever the spelling, when a config is set and when it is sent to [a2a.push-guarded]", async () => {
    const { port, connections } = await setTrap();
    const sockets = countSockets();
    const { checkUrl, send, logged } = await makePost();
    let count = 0;
    const property = fc.asyncProperty(privateUrl(port), async (url) => {
      count += 1;
      await expect(checkUrl(url)).rejects.toThrow("must be an https: address of a public host");
      // Also one that was kept when more was allowed.
      await send(url);
    });
    await fc.assert(property, { numRuns });
    expect(count).toBeGreaterThanOrEqual(numRuns);
    expect(logged).toHaveLength(each * count);
    expect(sockets()).toBe(0);
    expect(connections()).toBe(0);
  });

  it("open no connection to a name that leads there, now or after its config was set [a2a.push-guarded]", async () => {
    const { port, connections } = await setTrap();
    let addresses: readonly string[] = [];
    const lookup: LookupFunction = (...given) => answering(addresses)(...given);
    const { checkUrl, send, logged } = await makePost({ lookup });
    const property = fc.asyncProperty(resolvedAddresses, async (resolved) => {
      const url = `https://hooks.example:${port}/`;
      addresses = resolved;
      await expect(checkUrl(url)).rejects.toThrow("must be an https: address of a public host");
      addresses = publicAddresses;
      await checkUrl(url);
      addresses = resolved;
      await send(url);
    });
    await fc.assert(property, { numRuns: someRuns });
    expect(logged).toHaveLength(each * someRuns);
    for (const line of logged) expect(JSON.parse(line)).toMatchObject({ problem: "private_address", attempts: 1 });
    expect(connections()).toBe(0);
  });

  it.each([
    "hooks.internal",
    "printer.local",
    "hooks",
    "hooks.shop.svc",
    "hooks.shop.svc.cluster.local",
    "hooks.local.",
  ])("are refused for %s, a name of a network, whatever it leads to [a2a.push-guarded]", async (name) => {
    const asked = countLookups(publicAddresses);
    const { checkUrl } = await makePost({ lookup: asked.lookup });
    await expect(checkUrl(`https://${name}/`)).rejects.toThrow("must be an https: address of a public host");
    expect(asked.names()).toEqual([]);
  });

  it("are taken for a name that the host allows, and its name is not looked up [a2a.push-guarded]", async () => {
    const asked = countLookups(["10.0.0.1"]);
    const { checkUrl } = await makePost({
      lookup: asked.lookup,
      allowPrivateHosts: ["hooks.internal:443", "hooks.example.org:8443"],
    });
    await checkUrl("https://hooks.internal/");
    await checkUrl("https://hooks.example.org:8443/");
    expect(asked.names()).toEqual([]);
    await expect(checkUrl("https://hooks.example.org/")).rejects.toThrow("must be an https: address");
    expect(asked.names()).toEqual(["hooks.example.org"]);
  });

  it("are left to the delivery for a name that cannot be looked up now [a2a.push-guarded]", async () => {
    await expect((await makePost({ lookup: noLookup })).checkUrl("https://hooks.example/")).resolves.toBeUndefined();
    const throwing: LookupFunction = () => {
      throw new Error("No name server.");
    };
    await expect((await makePost({ lookup: throwing })).checkUrl("https://hooks.example/")).resolves.toBeUndefined();
  });

  it("are left to the delivery for a name that is not looked up in time, and while such names are looked up [a2a.push-guarded]", async () => {
    const silent = vi.fn<LookupFunction>();
    const { checkUrl } = await makePost({ lookup: silent });
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const checks = [1, 2, 3].map((number) => checkUrl(`https://hooks-${number}.example/`));
    await checks[2];
    expect(silent).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(2000);
    await Promise.all(checks);
  });

  it("follow no redirect there [a2a.push-guarded]", async () => {
    const { port, connections } = await setTrap();
    const targets: string[] = [];
    const statuses = [301, 302, 303, 307, 308];
    const receiver = await receive((index) => {
      return { status: statuses[index % 5] ?? 302, headers: { location: targets.at(-1) ?? "" } };
    });
    const { send, logged } = await makePost({ allowPrivateHosts: [receiver.host] });
    const property = fc.asyncProperty(privateUrl(port), async (target) => {
      targets.push(new URL(target).href);
      await send(receiver.url);
    });
    await fc.assert(property, { numRuns: someRuns });
    expect(receiver.notified).toHaveLength(each * someRuns);
    expect(logged).toHaveLength(each * someRuns);
    expect(connections()).toBe(0);
  });

  it("are not called as the endpoint that the card of a remote agent names [a2a.push-guarded]", async () => {
    const { port, connections } = await setTrap();
    let url = "";
    const card = (): object =>
      card1({ supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }] });
    let asked = 0;
    const remote = await fakeRemote(({ path }, response) => {
      if (path.endsWith("agent-card.json")) sendJson(response, card());
      else asked += 1;
    }, null);
    const property = fc.asyncProperty(privateUrl(port), async (target) => {
      url = new URL(target).href;
      const agent = new A2ARemoteAgent({ url: remote.url, timeoutMs: 5000 });
      await expect(agent.run("Hi")).rejects.toThrow("names an endpoint at an address that is not public");
    });
    await fc.assert(property, { numRuns: someRuns });
    expect(asked).toBe(0);
    expect(connections()).toBe(0);
  });

  it("are refused by the server in every version, in a call of their own and with a message [a2a.push-guarded]", async () => {
    const { port, connections } = await setTrap();
    const { agent, release } = heldAgent();
    onTestFinished(release);
    const served = await serveA2A({ agents: { helper: agent }, pushNotifications: true });
    const begun = await served.call("message/send", { ...message0("Hi"), configuration: { blocking: false } });
    const taskId = begun.result.id;
    const property = fc.asyncProperty(privateUrl(port), fc.nat(3), async (url, form) => {
      const calls: [string, object][] = [
        ["tasks/pushNotificationConfig/set", { taskId, pushNotificationConfig: { url } }],
        ["CreateTaskPushNotificationConfig", { taskId, url }],
        ["message/send", { ...message0("Hi"), configuration: { pushNotificationConfig: { url } } }],
        ["SendMessage", { ...message1("Hi"), configuration: { taskPushNotificationConfig: { url } } }],
      ];
      const [method, params] = calls[form] ?? ["", {}];
      expect((await served.call(method, params)).error.code).toBe(-32602);
    });
    await fc.assert(property, { numRuns: { few: 20, many: 100 }[inject("trials")] });
    expect(connections()).toBe(0);
  });

  it("are refused by the server for a name that leads there when it is set, and no task begins [a2a.push-guarded]", async () => {
    const pushNotifications = { lookup: answering(["169.254.169.254"]) };
    const { agent, release } = heldAgent();
    onTestFinished(release);
    const served = await serveA2A({ agents: { helper: agent }, pushNotifications }, "ada");
    const url = "https://metadata.example/";
    const set1 = { ...message1("Hi"), configuration: { taskPushNotificationConfig: { url } } };
    expect((await served.call("SendMessage", set1)).error).toMatchObject({ code: -32602 });
    expect((await served.call("ListTasks", {})).result.totalSize).toBe(0);
    const begun = await served.call("SendMessage", { ...message1("Hi"), configuration: { returnImmediately: true } });
    const taskId = begun.result.task.id;
    expect((await served.call("CreateTaskPushNotificationConfig", { taskId, url })).error.code).toBe(-32602);
    const rest = await fetch(`${served.url}/rest/tasks/${taskId}/pushNotificationConfigs`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ url }),
    });
    expect(rest.status).toBe(400);
  });
});
