import { describe, expect, it, vi } from "vitest";
import { createLogger } from "../../base/log/logger.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { SharedStorage } from "../../sessions/storage/test/shared-storage.ts";
import type { RunRequest } from "../record/run-view.ts";
import { secretOf, verified } from "../webhooks/test/webhook-world.ts";
import { makeService, request, serveRuns } from "./test/services.ts";
import { untilFailed, hookedOptions, startReceiver, untilSettled } from "./test/hooked-services.ts";

const [secret, old] = [secretOf("a"), secretOf("b")];

describe("the webhook of a run", () => {
  it("is told of that run alone, and is gone once all is delivered [webhooks.bounded]", async () => {
    const { url, host, got } = await startReceiver();
    const storage = new InMemoryStorage();
    const service = await serveRuns(hookedOptions(host, { storage }));
    const webhook = { url, secret };
    const { runId } = await service.accept({ ...request, webhook });
    await service.accept(request);
    const [delivery] = await untilSettled(service, runId);
    await vi.waitFor(async () => expect(await storage.list("webhooks")).toEqual([]));

    expect(got.map((each) => verified(each, secret).data["runId"])).toEqual([runId]);
    expect(delivery).toMatchObject({ webhook: "run", status: "delivered" });
  });

  it("lies sealed: neither its secret nor its address is in the storage, in the log, or in what owners see [webhooks.sealed]", async () => {
    const { url, host } = await startReceiver((response) => response.writeHead(503).end("canary-in-reply"));
    const lines: string[] = [];
    const logger = createLogger({ level: "debug", color: false, write: (line) => void lines.push(line) });
    const storage = new InMemoryStorage();
    const service = await serveRuns(hookedOptions(host, { storage, logger }));
    const webhook = { url, secret };
    const owner = { userId: "ada" };
    const { runId } = await service.accept({ kind: "workflow", name: "flow", owner, webhook, idempotencyKey: "k" });
    await untilFailed(service, runId);

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
    const { url, host } = await startReceiver();
    const storage = new SharedStorage(new InMemoryStorage());
    const service = makeService(hookedOptions(host, { storage, sealKeys: false }));

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
    const service = makeService(hookedOptions("localhost:1"));
    const accepted = service.accept({ ...request, webhook } as RunRequest);

    await expect(accepted).rejects.toMatchObject({ code: "invalid_request", message });
    expect((await service.list("host")).runs).toEqual([]);
  });

  it("is one of at most so many of its owner, until its run is over and delivered [webhooks.bounded]", async () => {
    const { url, host } = await startReceiver();
    const service = await serveRuns(hookedOptions(host, { webhooks: { maxPerOwner: 2 } }));
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
    const { url, host } = await startReceiver();
    const service = makeService(hookedOptions(host));
    const keyed = { ...request, idempotencyKey: "k", webhook: { url, secret } };
    const { runId } = await service.accept(keyed);

    expect(await service.accept(keyed)).toMatchObject({ runId, isNew: false });
    const other = service.accept({ ...keyed, webhook: { url, secret: old } });
    await expect(other).rejects.toMatchObject({ code: "idempotency_mismatch" });
  });
});
