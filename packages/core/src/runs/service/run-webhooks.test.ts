import type { LookupFunction } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { Workflow } from "../../agents/workflow/workflow.ts";
import { createLogger } from "../../base/log/logger.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { SharedStorage } from "../../sessions/storage/test/shared-storage.ts";
import { secretOf, verified } from "../webhooks/test/webhook-world.ts";
import type { DisabledWebhook } from "../webhooks/webhook-options.ts";
import { makeService, request, scriptedAgent, serveRuns, untilStatus } from "./test/services.ts";
import { untilFailed, flow, hookedOptions, startReceiver, untilSettled } from "./test/hooked-services.ts";

const [secret, old] = [secretOf("a"), secretOf("b")];

describe("the webhooks of a service", () => {
  it("report a wait and an end over HTTP, signed with each secret, without prompts, questions and outputs [webhooks.signature] [webhooks.facts]", async () => {
    const { url, host, got } = await startReceiver();
    const targets = [{ url, secrets: [secret, old] }];
    const service = await serveRuns(hookedOptions(host, { webhooks: { targets } }));
    const { runId, sessionId } = await service.accept({ kind: "workflow", name: "flow", owner: { userId: "ä" } });
    await untilStatus(service, runId, "waiting");
    await untilSettled(service, runId);
    await service.answer(runId, "w.age.question", { result: "canary-in-answer" }, "host");
    const deliveries = await untilSettled(service, runId, 2);

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
    const { url, host, got } = await startReceiver();
    const service = await serveRuns(
      hookedOptions(host, { webhooks: { targets: [{ url, secrets: [secret] }] }, agents: { a: scriptedAgent([]) } }),
    );
    const broken = await service.accept(request);
    await untilSettled(service, broken.runId);
    const waiting = await service.accept({ kind: "workflow", name: "flow" });
    await untilStatus(service, waiting.runId, "waiting");
    await service.cancel(waiting.runId, "host");
    await untilSettled(service, waiting.runId, 2);

    const bodies = got.map((each) => verified(each, secret));
    const byType = Object.fromEntries(bodies.map((body) => [body.type, body.data]));
    expect(byType["run.failed"]).toMatchObject({ status: "error", error: { code: expect.any(String) as string } });
    expect(byType["run.cancelled"]).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
  });

  it("report only the events that they are for, and no wait for a time", async () => {
    const { url, host, got } = await startReceiver();
    const targets = [{ url, secrets: [secret], events: ["run.completed" as const] }];
    const sleeps = new Workflow({ name: "sleeps", initialState: {}, steps: [{ name: "nap", sleepMs: 5 }] });
    const service = await serveRuns(hookedOptions(host, { webhooks: { targets }, workflows: { flow, sleeps } }));
    const waiting = await service.accept({ kind: "workflow", name: "flow" });
    await untilStatus(service, waiting.runId, "waiting");
    const { runId } = await service.accept({ kind: "workflow", name: "sleeps" });
    await untilSettled(service, runId);

    expect(got.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual(["run.completed"]);
    expect(await service.webhooks.deliveries(waiting.runId, "host")).toEqual([]);
  });

  it("are told of a run that a process without webhooks has cancelled, and of runs of a process that died", async () => {
    const { url, host, got } = await startReceiver();
    const storage = new InMemoryStorage();
    const options = hookedOptions(host, { webhooks: { targets: [{ url, secrets: [secret] }] } });
    // The first process ends the run in the storage, and dies before it sends anything.
    const first = makeService({ ...options, storage: new SharedStorage(storage) });
    const { runId } = await first.accept({ kind: "workflow", name: "flow" });
    await first.cancel(runId, "host");
    expect(got).toEqual([]);
    const second = await serveRuns({ ...options, storage: new SharedStorage(storage) });
    await untilSettled(second, runId);

    expect(got).toHaveLength(1);
  });
});

describe("the request of a webhook", () => {
  it("follows no redirect, and reads four kilobytes of an endless answer [webhooks.private]", async () => {
    const other = await startReceiver();
    let sent = 0;
    const { url, host, got } = await startReceiver((response, count) => {
      if (count === 1) return response.writeHead(307, { location: other.url }).end();
      response.writeHead(200);
      const write = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, "x"))) sent += 65_536;
      };
      return response.on("drain", write).once("close", () => (sent = Math.max(sent, 1))) && write();
    });
    const webhooks = { targets: [{ url, secrets: [secret] }], allowPrivateHosts: [host, other.host] };
    const service = await serveRuns(hookedOptions(host, { webhooks }));
    const first = await service.accept(request);
    const [redirected] = await untilFailed(service, first.runId);
    const second = await service.accept(request);
    const [cut] = await untilSettled(service, second.runId);

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
    const service = await serveRuns(hookedOptions("unused:1", { webhooks: { lookup, allowCallers: true } }));
    const { server } = await startReceiver();
    const webhook = { url: `https://receiver.example.com:${server.port}/`, secret };
    const { runId } = await service.accept({ kind: "workflow", name: "flow", webhook });
    address = "127.0.0.1";
    const [delivery] = await untilFailed(service, runId);

    expect(delivery).toMatchObject({ status: "pending", problem: "private_address" });
    expect(server.connections()).toBe(0);
    await expect(service.accept({ ...request, webhook })).rejects.toMatchObject({ code: "invalid_request" });
  });
});

describe("a receiver that answers 410", () => {
  it("is told nothing more, the host is told once, and enable lets it be told again [webhooks.disabled]", async () => {
    let status = 410;
    const { url, host, got } = await startReceiver((response) => response.writeHead(status).end());
    const onDisabled = vi.fn<(webhook: DisabledWebhook) => void>();
    const webhooks = { targets: [{ url, secrets: [secret] }], onDisabled };
    const lines: string[] = [];
    const logger = createLogger({ level: "debug", color: false, write: (line) => void lines.push(line) });
    const service = await serveRuns(hookedOptions(host, { webhooks, logger }));
    for (let index = 0; index < 2; index++) {
      const { runId } = await service.accept({ ...request, owner: { userId: "ada" } });
      expect(await untilSettled(service, runId)).toMatchObject([{ status: "disabled" }]);
    }
    expect(got).toHaveLength(1);
    expect(onDisabled.mock.calls).toEqual([[{ url }]]);
    expect(lines.filter((line) => line.includes("410"))).toHaveLength(1);
    expect(lines.join()).not.toContain("canary-in-address");

    status = 204;
    await expect(service.webhooks.enable("https://b.example.com")).rejects.toMatchObject({ code: "not_found" });
    await service.webhooks.enable(url);
    const { runId } = await service.accept(request);
    expect(await untilSettled(service, runId)).toMatchObject([{ status: "delivered" }]);
  });

  it("is disabled for its run alone if it is the run's own webhook [webhooks.disabled]", async () => {
    const { url, host, got } = await startReceiver((response) => response.writeHead(410).end());
    const onDisabled = vi.fn<(webhook: DisabledWebhook) => void>();
    const service = await serveRuns(hookedOptions(host, { webhooks: { onDisabled } }));
    const webhook = { url, secret };
    const { runId } = await service.accept({ kind: "workflow", name: "flow", webhook });
    await untilSettled(service, runId);
    await service.cancel(runId, "host");
    expect(await untilSettled(service, runId, 2)).toMatchObject([{ status: "disabled" }, { status: "disabled" }]);
    const other = await service.accept({ ...request, webhook });
    await untilSettled(service, other.runId);

    expect(got).toHaveLength(2);
    expect(onDisabled.mock.calls).toEqual([[{ url, runId }], [{ url, runId: other.runId }]]);
  });
});

describe("the deliveries of a run", () => {
  it("are for its owner and the host, and go with the run [webhooks.deliveries]", async () => {
    const { url, host } = await startReceiver();
    const storage = new InMemoryStorage();
    const service = await serveRuns(
      hookedOptions(host, { storage, webhooks: { targets: [{ url, secrets: [secret] }] } }),
    );
    const owner = { userId: "ä", tenantId: "t" };
    const { runId } = await service.accept({ ...request, owner });
    await untilSettled(service, runId);

    expect(await service.webhooks.deliveries(runId, owner)).toHaveLength(1);
    for (const caller of [{ userId: "ä" }, { userId: "b", tenantId: "t" }, { ...owner, verified: false }, {}]) {
      await expect(service.webhooks.deliveries(runId, caller)).rejects.toMatchObject({ code: "not_found" });
    }
    await service.delete(runId, owner);
    expect(await storage.list("run-deliveries")).toEqual([]);
    await expect(service.webhooks.deliveries(runId, "host")).rejects.toMatchObject({ code: "not_found" });
  });
});
