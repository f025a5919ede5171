import { Agent, InMemoryStorage } from "@troupe/core";
import type { StorageDriver } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import type { RequestHandler } from "express";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { talker } from "../../test/runnables.ts";
import { serve } from "../../test/serve.ts";

function pinging(ping: () => Promise<void>): StorageDriver {
  return Object.assign(new InMemoryStorage(), { ping });
}

/** A storage that counts its writes and refuses them while `refuses` is set. */
class WrittenStorage extends InMemoryStorage {
  writes = 0;
  refuses: Error | undefined;

  override async set(...args: Parameters<InMemoryStorage["set"]>): Promise<void> {
    this.writes += 1;
    if (this.refuses !== undefined) throw this.refuses;
    await super.set(...args);
  }
}

function agentOver(storage: StorageDriver): Agent {
  return new Agent({ name: "a", model: new ScriptedModel(), storage });
}

describe("GET /health", () => {
  it("answers as long as the process lives, without details", async () => {
    const service = await serve({
      agents: { a: agentOver(pinging(async () => await Promise.reject(new Error("Gone.")))) },
    });

    expect(await service.ask("/health")).toMatchObject({ status: 200, json: { status: "ok" } });
  });
});

describe("GET /health and GET /ready", () => {
  const refuse: RequestHandler = (_, response) => void response.writeHead(401).end();

  it("are answered before the middleware, and nothing else is [http.health-first]", async () => {
    const service = await serve({ agents: { a: talker() }, swagger: {}, middleware: [refuse] }, { at: "/api" });
    const statusOf = async (path: string, init?: RequestInit) => (await service.ask(path, init)).status;

    expect(await service.ask("/health")).toMatchObject({ status: 200, json: { status: "ok" } });
    expect(await service.ask("/ready")).toMatchObject({ status: 200, json: { status: "ready" } });
    expect((await service.ask("/health", { method: "POST" })).headers.get("allow")).toBe("GET, HEAD, OPTIONS");
    for (const path of ["/agents", "/sessions", "/docs", "/docs/spec.json", "/healthy", "/ready/x", "/"]) {
      expect([path, await statusOf(path)]).toEqual([path, 401]);
    }
    expect(await statusOf("/agents/a/run", { method: "POST" })).toBe(401);
  });

  it("have the request id of their client", async () => {
    const service = await serve({ middleware: [refuse] });

    for (const path of ["/health", "/ready"]) {
      const { headers } = await service.ask(path, { headers: { "x-request-id": "probe-1" } });
      expect(headers.get("x-request-id")).toBe("probe-1");
    }
  });
});

describe("GET /ready", () => {
  const onHost = "a server that still listens when the service is closed";

  it("pings each storage once", async () => {
    let pings = 0;
    const storage = pinging(async () => void pings++);
    const service = await serve({ agents: { a: agentOver(storage), b: agentOver(storage), c: talker() } });

    expect(await service.ask("/ready")).toMatchObject({ status: 200, json: { status: "ready" } });
    expect(pings).toBe(1);
  });

  it("answers 503 when a storage cannot be reached, and logs the cause", async () => {
    const broken = pinging(async () => await Promise.reject(new Error("connect ECONNREFUSED 10.0.0.7:5432")));
    const service = await serve({ agents: { a: talker(), b: agentOver(broken) } });

    const { status, json, text } = await service.ask("/ready");

    expect([status, json]).toMatchObject([503, { error: { code: "storage_unavailable" } }]);
    expect(text).not.toContain("10.0.0.7");
    expect(service.lines.join("")).toContain("10.0.0.7");
  });

  it("answers 503 when a storage answers but cannot be written to, and logs the cause [http.ready-writes]", async () => {
    const full = new WrittenStorage();
    full.refuses = new Error("database or disk is full");
    const service = await serve({ agents: { a: talker(), b: agentOver(full) } });

    const { status, json, text } = await service.ask("/ready");

    expect([status, json]).toMatchObject([503, { error: { code: "storage_unavailable" } }]);
    expect(text).not.toContain("full");
    expect(service.lines.join("")).toContain("database or disk is full");
  });

  it("writes one small record to each storage at most once in five seconds, however often it is asked [http.ready-writes]", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const storage = new WrittenStorage();
    const service = await serve({ agents: { a: agentOver(storage), b: agentOver(storage) } });
    const askOften = async () => {
      return await Promise.all(Array.from({ length: 5 }, async () => (await service.ask("/ready")).status));
    };

    expect(await askOften()).toEqual([200, 200, 200, 200, 200]);
    expect(storage.writes).toBe(1);
    storage.refuses = new Error("Read-only.");
    vi.advanceTimersByTime(4999);
    expect(await askOften()).toEqual([200, 200, 200, 200, 200]);
    vi.advanceTimersByTime(1);
    expect(await askOften()).toEqual([503, 503, 503, 503, 503]);
    expect(storage.writes).toBe(2);
    storage.refuses = undefined;
    vi.advanceTimersByTime(5000);
    expect(await askOften()).toEqual([200, 200, 200, 200, 200]);
    expect(storage.writes).toBe(3);
    expect(await storage.list("probe")).toMatchObject([{ key: "ready" }]);
  });

  it("answers 503 when a storage does not answer within a second", async () => {
    const service = await serve({ agents: { a: agentOver(pinging(async () => await new Promise(() => {}))) } });

    expect(await service.ask("/ready")).toMatchObject({
      status: 503,
      json: { error: { code: "storage_unavailable", message: "The storage cannot be used at the moment." } },
    });
    for (const words of ["The storage cannot be used.", "The storage did not answer within 1000 ms."]) {
      expect(service.lines.join("")).toContain(words);
    }
  });

  it("answers 503 until something performs the durable runs of the service", async () => {
    const agent = talker();
    const runs = new RunService({ agents: { a: agent } });
    onTestFinished(async () => await runs.close());
    const service = await serve({ agents: { a: agent }, runs });

    const message = "The service does not perform such runs at present. Try again later.";
    expect(await service.ask("/ready")).toMatchObject({
      status: 503,
      json: { error: { code: "unavailable", message } },
    });
    await runs.serve();
    expect(await service.ask("/ready")).toMatchObject({ status: 200, json: { status: "ready" } });
  });

  it("asks no storage while the service shuts down, and closes its connection", async () => {
    let pings = 0;
    const onNode = "only there an answer says whether its connection is closed";
    const service = await serve({ agents: { a: agentOver(pinging(async () => void pings++)) } }, { onNode, onHost });
    expect((await service.ask("/ready")).headers.get("connection")).not.toBe("close");
    await service.served.close();

    const refused = await service.ask("/ready");
    expect([refused.status, refused.headers.get("connection"), pings]).toEqual([503, "close", 1]);
    expect((await service.ask("/health")).headers.get("connection")).not.toBe("close");
  });

  it("answers 503 when the service shuts down, as runs do", async () => {
    const service = await serve({ agents: { a: talker() } }, { onHost });
    await service.served.close();

    const ready = await service.ask("/ready");
    expect(ready).toMatchObject({ status: 503, json: { error: { code: "unavailable" } } });
    expect(ready.headers.get("retry-after")).toBe("1");
    expect(await service.post("/agents/a/run", { input: "x" })).toMatchObject({ status: 503 });
    expect(await service.ask("/health")).toMatchObject({ status: 200 });
  });
});
