import type { LookupFunction } from "node:net";
import { InMemoryStorage, TroupeError } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { noLookup } from "../../test/receiver.ts";
import { scriptedAgent } from "../../test/serve-a2a.ts";
import type { TaskRun } from "../tasks/task-runs.ts";
import { dialectOfVersion } from "../wire/parse-call.ts";
import { PushSender } from "./push-sender.ts";

const url = "https://hooks.example/";
const owner = { userId: "ada", tenantId: "north" };
const newConfig = (id: string, version: "0.3" | "1.0" = "1.0") => {
  return { config: { id, url }, dialect: dialectOfVersion(version), owner, fromStart: false };
};

/** A sender, and a task of Ada's that nobody performs. */
async function world(lookup: LookupFunction = noLookup) {
  const service = new RunService({ agents: { helper: scriptedAgent([]) }, storage: new InMemoryStorage() });
  onTestFinished(async () => await service.close());
  const { runId } = await service.accept({ kind: "agent", name: "helper", input: "Hi", owner });
  const settings = { allowPrivateHosts: ["127.0.0.1:8080"], timeoutMs: 1000, maxPerTask: 2, lookup };
  const sender = new PushSender({ settings, durable: undefined, issuer: undefined, basePath: "/a2a" });
  const task = { run: { service, runId } } as unknown as TaskRun;
  return { sender, task, service };
}

describe("a config of a task", () => {
  it.each(["0.3", "1.0"] as const)("is kept for its owner, with its version %s", async (version) => {
    const { sender, task, service } = await world();
    await sender.set(task, newConfig("ä", version));
    const [stored] = await service.webhooks.subscriptions.list(task.run.runId, owner);
    expect(stored).toEqual({ id: "ä", data: { version, config: { id: "ä", url } } });
    expect(await sender.list(task, owner)).toEqual([{ id: "ä", url }]);
    await expect(sender.list(task, { userId: "eve" })).rejects.toMatchObject({ code: "not_found" });
    await sender.delete(task, owner, "ä");
    expect(await sender.list(task, owner)).toEqual([]);
  });

  it("beyond the limit is refused as a wrong parameter, and fails as its storage does", async () => {
    const { sender, task, service } = await world();
    for (const id of ["a", "b", "a"]) await sender.set(task, newConfig(id));
    const third = sender.set(task, newConfig("c"));
    await expect(third).rejects.toMatchObject({
      kind: "invalid-params",
      message: expect.stringContaining("at most 2"),
    });
    const away = new TroupeError("storage_unavailable", "Away.");
    vi.spyOn(service.webhooks.subscriptions, "put").mockRejectedValueOnce(away);
    await expect(sender.set(task, newConfig("a"))).rejects.toBe(away);
  });
});

describe("a shutdown", () => {
  it("waits for the notifications of tasks in memory, until they are ended", async () => {
    const { sender, task } = await world();
    await sender.flush();
    await sender.set(task, newConfig("a"));
    // Nothing is due for a task that nobody performs.
    await sender.flush();
    expect(sender.size).toBe(0);
    const waiting = Promise.withResolvers<void>();
    vi.spyOn(task.run.service.webhooks, "emptied").mockReturnValueOnce(waiting.promise);
    const flushed = sender.flush();
    expect(sender.size).toBe(1);
    sender.endAll();
    waiting.resolve();
    await flushed;
    expect(sender.size).toBe(0);
  });
});

describe("the check of an address", () => {
  const refusal = {
    kind: "invalid-params",
    message: "url must be an https: address of a public host, without a user name or password.",
    fields: { field: "url" },
  };
  const found = (address: string): LookupFunction =>
    ((_host: string, _options: object, done: (error: null, all: object[]) => void) =>
      done(null, [{ address, family: 4 }])) as unknown as LookupFunction;

  it.each([
    "http://a.example/",
    "https://10.0.0.1/",
    "https://me@a.example/",
    "https://:p@a.example/",
    "ftp://a.example/",
    "a",
  ])("refuses %s without a lookup", async (address) => {
    const { sender } = await world(() => expect.fail("It looks up the name."));
    await expect(sender.check({ url: address })).rejects.toMatchObject(refusal);
  });

  it("takes a name that leads to a public host, or to none now, and one that is allowed", async () => {
    await (await world(found("93.184.216.34"))).sender.check({ url });
    await (await world()).sender.check({ url });
    await (await world()).sender.check({ url: "http://127.0.0.1:8080/hook" });
    await expect((await world(found("10.0.0.1"))).sender.check({ url })).rejects.toMatchObject(refusal);
  });
});
