import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { LookupFunction } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { serveLoopback } from "../../../test/loopback-server.ts";
import { Workflow } from "../../agents/workflow/workflow.ts";
import { createLogger } from "../../base/log/logger.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { SharedStorage } from "../../sessions/storage/test/shared-storage.ts";
import type { RunServiceOptions } from "../processes/run-service-options.ts";
import type { RunRequest } from "../record/run-view.ts";
import { sealKey, secretOf, verified } from "../webhooks/test/webhook-world.ts";
import type { DisabledWebhook, WebhookOptions } from "../webhooks/webhook-options.ts";
import type { RunService } from "./run-service.ts";
import { makeService, request, scriptedAgent, serveRuns, untilStatus } from "./test/services.ts";

type Got = { headers: Record<string, string>; body: string };

const [secret, old] = [secretOf("a"), secretOf("b")];
const flow = new Workflow({
  name: "flow",
  initialState: {},
  steps: [{ name: "age", ask: () => "How old is Größe?" }],
});

/** A receiver over HTTP, which answers 204 unless told otherwise. */
async function receiver(
  answer: (response: ServerResponse, count: number) => unknown = (response) => response.writeHead(204).end(),
) {
  const got: Got[] = [];
  const take = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    got.push({ headers: toPlain(incoming.headers), body: await text(incoming) });
    answer(response, got.length);
  };
  const server = await serveLoopback((incoming, response) => void take(incoming, response));
  return { url: `${server.url}/hook?token=canary-in-address`, host: `127.0.0.1:${server.port}`, got, server };
}

function toPlain(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

type Given = Omit<RunServiceOptions, "webhooks"> & { webhooks?: WebhookOptions };

/** Options of a service whose webhooks may be on this machine. */
function optionsOf(host: string, { webhooks, ...more }: Given = {}): RunServiceOptions {
  return {
    storage: new InMemoryStorage(),
    agents: { a: scriptedAgent([{ text: "canary-in-output" }, { text: "Again." }]) },
    workflows: { flow },
    sealKeys: [sealKey],
    webhooks: { allowPrivateHosts: [host], ...webhooks },
    ...more,
  };
}

/** Waits until the first attempt at the only delivery of a run has failed. */
const failed = async (service: RunService, runId: string) =>
  await vi.waitFor(async () => {
    const found = await service.webhooks.deliveries(runId, "host");
    expect(found).toMatchObject([{ problem: expect.any(String) as string }]);
    return found;
  });

/** Waits until so many deliveries of a run are over. */
const settled = async (service: RunService, runId: string, count = 1) =>
  await vi.waitFor(async () => {
    const found = await service.webhooks.deliveries(runId, "host");
    expect(found.filter(({ status }) => status !== "pending")).toHaveLength(count);
    return found;
  });

describe("the webhooks of a service", () => {
  it("report a wait and an end over HTTP, signed with each secret, without prompts, questions and outputs [webhooks.signature] [webhooks.facts]", async () => {
    const { url, host, got } = await receiver();
    const targets = [{ url, secrets: [secret, old] }];
    const service = await serveRuns(optionsOf(host, { webhooks: { targets } }));
    const { runId, sessionId } = await service.accept({ kind: "workflow", name: "flow", owner: { userId: "ä" } });
    await untilStatus(service, runId, "waiting");
    await settled(service, runId);
    await service.answer(runId, "w.age.question", { result: "canary-in-answer" }, "host");
    const deliveries = await settled(service, runId, 2);

    const bodies = got.map((each) => verified(each, secret));
    expect(got.map((each) => verified(each, old))).toEqual(bodies);
    const data = { runId, kind: "workflow", name: "flow", sessionId };
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string;
    expect(bodies).toEqual([
      {
        type: "run.waiting",
        timestamp,
        data: { ...data, status: "waiting", waits: [{ id: "w.age.question", kind: "question" }] },
      },
      { type: "run.completed", timestamp, data: { ...data, status: "completed" } },
    ]);
    expect(deliveries).toMatchObject([
      { type: "run.waiting", webhook: "service", status: "delivered", attempts: 1, id: got[0]?.headers["webhook-id"] },
      { type: "run.completed", webhook: "service", status: "delivered", attempts: 1 },
    ]);
    expect(JSON.stringify(deliveries)).not.toContain("canary");
  });

  it("report a failure with its code and its message, and a cancellation", async () => {
    const { url, host, got } = await receiver();
    const service = await serveRuns(
      optionsOf(host, { webhooks: { targets: [{ url, secrets: [secret] }] }, agents: { a: scriptedAgent([]) } }),
    );
    const broken = await service.accept(request);
    await settled(service, broken.runId);
    const waiting = await service.accept({ kind: "workflow", name: "flow" });
    await untilStatus(service, waiting.runId, "waiting");
    await service.cancel(waiting.runId, "host");
    await settled(service, waiting.runId, 2);

    const bodies = got.map((each) => verified(each, secret));
    const byType = Object.fromEntries(bodies.map((body) => [body.type, body.data]));
    expect(byType["run.failed"]).toMatchObject({ status: "error", error: { code: expect.any(String) as string } });
    expect(byType["run.cancelled"]).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
  });

  it("report only the events that they are for, and no wait for a time", async () => {
    const { url, host, got } = await receiver();
    const targets = [{ url, secrets: [secret], events: ["run.completed" as const] }];
    const sleeps = new Workflow({ name: "sleeps", initialState: {}, steps: [{ name: "nap", sleepMs: 5 }] });
    const service = await serveRuns(optionsOf(host, { webhooks: { targets }, workflows: { flow, sleeps } }));
    const waiting = await service.accept({ kind: "workflow", name: "flow" });
    await untilStatus(service, waiting.runId, "waiting");
    const { runId } = await service.accept({ kind: "workflow", name: "sleeps" });
    await settled(service, runId);

    expect(got.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual(["run.completed"]);
    expect(await service.webhooks.deliveries(waiting.runId, "host")).toEqual([]);
  });

  it("are told of a run that a process without webhooks has cancelled, and of runs of a process that died", async () => {
    const { url, host, got } = await receiver();
    const storage = new InMemoryStorage();
    const options = optionsOf(host, { webhooks: { targets: [{ url, secrets: [secret] }] } });
    // The first process ends the run in the storage, and dies before it sends anything.
    const first = makeService({ ...options, storage: new SharedStorage(storage) });
    const { runId } = await first.accept({ kind: "workflow", name: "flow" });
    await first.cancel(runId, "host");
    expect(got).toEqual([]);
    const second = await serveRuns({ ...options, storage: new SharedStorage(storage) });
    await settled(second, runId);

    expect(got).toHaveLength(1);
  });
});

describe("the request of a webhook", () => {
  it("follows no redirect, and reads four kilobytes of an endless answer [webhooks.private]", async () => {
    const other = await receiver();
    let sent = 0;
    const { url, host, got } = await receiver((response, count) => {
      if (count === 1) return response.writeHead(307, { location: other.url }).end();
      response.writeHead(200);
      const write = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, "x"))) sent += 65_536;
      };
      return response.on("drain", write).once("close", () => (sent = Math.max(sent, 1))) && write();
    });
    const webhooks = { targets: [{ url, secrets: [secret] }], allowPrivateHosts: [host, other.host] };
    const service = await serveRuns(optionsOf(host, { webhooks }));
    const first = await service.accept(request);
    const [redirected] = await failed(service, first.runId);
    const second = await service.accept(request);
    const [cut] = await settled(service, second.runId);

    expect(redirected).toMatchObject({ status: "pending", attempts: 1, problem: "redirected_body" });
    expect(redirected?.nextAt).toBeGreaterThan(Date.now());
    expect(cut).toMatchObject({ status: "delivered", attempts: 1 });
    expect(got).toHaveLength(2);
    expect(other.got).toEqual([]);
    // What lies in buffers is sent, the rest is not.
    expect(sent).toBeLessThan(20_000_000);
  });

  it("is not made to a host that has become private since it was set [webhooks.private]", async () => {
    let address = "93.184.215.14";
    const lookup: LookupFunction = (_host, _options, callback) => callback(null, [{ address, family: 4 }]);
    const service = await serveRuns(optionsOf("unused:1", { webhooks: { lookup, allowCallers: true } }));
    const { server } = await receiver();
    const webhook = { url: `https://receiver.example.com:${server.port}/`, secret };
    const { runId } = await service.accept({ kind: "workflow", name: "flow", webhook });
    address = "127.0.0.1";
    const [delivery] = await failed(service, runId);

    expect(delivery).toMatchObject({ status: "pending", problem: "private_address" });
    expect(server.connections()).toBe(0);
    await expect(service.accept({ ...request, webhook })).rejects.toMatchObject({ code: "invalid_request" });
  });
});

describe("the webhook of a run", () => {
  it("is told of that run alone, and is gone once all is delivered [webhooks.bounded]", async () => {
    const { url, host, got } = await receiver();
    const storage = new InMemoryStorage();
    const service = await serveRuns(optionsOf(host, { storage }));
    const webhook = { url, secret };
    const { runId } = await service.accept({ ...request, webhook });
    await service.accept(request);
    const [delivery] = await settled(service, runId);
    await vi.waitFor(async () => expect(await storage.list("webhooks")).toEqual([]));

    expect(got.map((each) => verified(each, secret).data["runId"])).toEqual([runId]);
    expect(delivery).toMatchObject({ webhook: "run", status: "delivered" });
  });

  it("lies sealed: neither its secret nor its address is in the storage, in the log, or in what owners see [webhooks.sealed]", async () => {
    const { url, host } = await receiver((response) => response.writeHead(503).end("canary-in-reply"));
    const lines: string[] = [];
    const logger = createLogger({ level: "debug", color: false, write: (line) => void lines.push(line) });
    const storage = new InMemoryStorage();
    const service = await serveRuns(optionsOf(host, { storage, logger }));
    const webhook = { url, secret };
    const owner = { userId: "ada" };
    const { runId } = await service.accept({ kind: "workflow", name: "flow", owner, webhook, idempotencyKey: "k" });
    await failed(service, runId);

    const stored = [];
    for (const name of ["runs", "run-open", "run-by", "run-log", "run-inbox", "webhooks", "outbox", "run-deliveries"]) {
      stored.push(JSON.stringify(await storage.list(name)));
    }
    const seen = [await service.get(runId, owner), await service.webhooks.deliveries(runId, owner)];
    const all = [...stored, ...lines, JSON.stringify(seen)].join("\n");
    expect(stored[5]).not.toBe("[]");
    for (const canary of [secret.slice(6), "canary-in-address", "canary-in-reply"]) expect(all).not.toContain(canary);
  });

  it("needs seal keys in a storage that outlives the process", async () => {
    const { url, host } = await receiver();
    const storage = new SharedStorage(new InMemoryStorage());
    const service = makeService(optionsOf(host, { storage, sealKeys: false }));

    const accepted = service.accept({ ...request, webhook: { url, secret } });
    await expect(accepted).rejects.toMatchObject({ code: "invalid_request", message: /sealKeys/ });
  });

  it.each<[what: string, webhook: object, message: RegExp]>([
    ["no secret", { url: "https://a.example.com" }, /webhook\.secret must be whsec_/],
    ["a short secret", { url: "https://a.example.com", secret: "whsec_YQ==" }, /webhook\.secret must be whsec_/],
    ["an unknown field", { url: "https://a.example.com", secret, secrets: [] }, /secrets/],
    ["plain HTTP", { url: "http://a.example.com", secret }, /webhook\.url must be an https: address/],
    ["a private address", { url: "https://10.0.0.1/", secret }, /webhook\.url must be an https: address/],
    ["a name of this machine", { url: "https://localhost/", secret }, /webhook\.url must be an https: address/],
    ["credentials", { url: "https://u:p@a.example.com/", secret }, /webhook\.url must be an https: address/],
    ["no address", { url: "ä", secret }, /webhook\.url must be an address/],
  ])("is refused with %s [webhooks.private]", async (_what, webhook, message) => {
    const service = makeService(optionsOf("localhost:1"));
    const accepted = service.accept({ ...request, webhook } as RunRequest);

    await expect(accepted).rejects.toMatchObject({ code: "invalid_request", message });
    expect((await service.list("host")).runs).toEqual([]);
  });

  it("is one of at most so many of its owner, until its run is over and delivered [webhooks.bounded]", async () => {
    const { url, host } = await receiver();
    const service = await serveRuns(optionsOf(host, { webhooks: { maxPerOwner: 2 } }));
    const webhook = { url, secret };
    const begin = async (userId: string) =>
      await service.accept({ kind: "workflow", name: "flow", owner: { userId }, webhook });
    const one = await begin("Zoë/1");
    await begin("Zoë/1");

    await expect(begin("Zoë/1")).rejects.toMatchObject({ code: "rate_limited" });
    await begin("Zoë");
    await service.cancel(one.runId, "host");
    await vi.waitFor(async () => await begin("Zoë/1"));
    await expect(begin("Zoë/1")).rejects.toMatchObject({ code: "rate_limited" });
  });

  it("belongs to its idempotency key: with another webhook the request is another", async () => {
    const { url, host } = await receiver();
    const service = makeService(optionsOf(host));
    const keyed = { ...request, idempotencyKey: "k", webhook: { url, secret } };
    const { runId } = await service.accept(keyed);

    expect(await service.accept(keyed)).toMatchObject({ runId, isNew: false });
    const other = service.accept({ ...keyed, webhook: { url, secret: old } });
    await expect(other).rejects.toMatchObject({ code: "idempotency_mismatch" });
  });
});

describe("a receiver that answers 410", () => {
  it("is told nothing more, the host is told once, and enable lets it be told again [webhooks.disabled]", async () => {
    let status = 410;
    const { url, host, got } = await receiver((response) => response.writeHead(status).end());
    const onDisabled = vi.fn<(webhook: DisabledWebhook) => void>();
    const webhooks = { targets: [{ url, secrets: [secret] }], onDisabled };
    const lines: string[] = [];
    const logger = createLogger({ level: "debug", color: false, write: (line) => void lines.push(line) });
    const service = await serveRuns(optionsOf(host, { webhooks, logger }));
    for (let index = 0; index < 2; index++) {
      const { runId } = await service.accept({ ...request, owner: { userId: "ada" } });
      expect(await settled(service, runId)).toMatchObject([{ status: "disabled" }]);
    }
    expect(got).toHaveLength(1);
    expect(onDisabled.mock.calls).toEqual([[{ url }]]);
    expect(lines.filter((line) => line.includes("410"))).toHaveLength(1);
    expect(lines.join()).not.toContain("canary-in-address");

    status = 204;
    await expect(service.webhooks.enable("https://b.example.com")).rejects.toMatchObject({ code: "not_found" });
    await service.webhooks.enable(url);
    const { runId } = await service.accept(request);
    expect(await settled(service, runId)).toMatchObject([{ status: "delivered" }]);
  });

  it("is disabled for its run alone if it is the run's own webhook [webhooks.disabled]", async () => {
    const { url, host, got } = await receiver((response) => response.writeHead(410).end());
    const onDisabled = vi.fn<(webhook: DisabledWebhook) => void>();
    const service = await serveRuns(optionsOf(host, { webhooks: { onDisabled } }));
    const webhook = { url, secret };
    const { runId } = await service.accept({ kind: "workflow", name: "flow", webhook });
    await settled(service, runId);
    await service.cancel(runId, "host");
    expect(await settled(service, runId, 2)).toMatchObject([{ status: "disabled" }, { status: "disabled" }]);
    const other = await service.accept({ ...request, webhook });
    await settled(service, other.runId);

    expect(got).toHaveLength(2);
    expect(onDisabled.mock.calls).toEqual([[{ url, runId }], [{ url, runId: other.runId }]]);
  });
});

describe("the deliveries of a run", () => {
  it("are for its owner and the host, and go with the run [webhooks.deliveries]", async () => {
    const { url, host } = await receiver();
    const storage = new InMemoryStorage();
    const service = await serveRuns(optionsOf(host, { storage, webhooks: { targets: [{ url, secrets: [secret] }] } }));
    const owner = { userId: "ä", tenantId: "t" };
    const { runId } = await service.accept({ ...request, owner });
    await settled(service, runId);

    expect(await service.webhooks.deliveries(runId, owner)).toHaveLength(1);
    for (const caller of [{ userId: "ä" }, { userId: "b", tenantId: "t" }, { ...owner, verified: false }, {}]) {
      await expect(service.webhooks.deliveries(runId, caller)).rejects.toMatchObject({ code: "not_found" });
    }
    await service.delete(runId, owner);
    expect(await storage.list("run-deliveries")).toEqual([]);
    await expect(service.webhooks.deliveries(runId, "host")).rejects.toMatchObject({ code: "not_found" });
  });
});
