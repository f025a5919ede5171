import { createLogger } from "@troupe/core";
import { PostgresServer, TcpProxy } from "@troupe-internal/fault-tools";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { freshQueue, job, postgresUrl, redisUrl, startChild, testEngine, told, Work } from "../test/servers.ts";

const patience = { timeout: 60_000 };

describe.skipIf(postgresUrl === "")("BullMqEngine on a PostgreSQL that restarts", { timeout: 120_000 }, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    if (postgresUrl !== "") server = await PostgresServer.create();
  }, 60_000);
  afterAll(async () => await server?.close());

  it("performs what is submitted after each restart, and what was under way", async () => {
    const engine = testEngine({ connectionString: server.url });
    const work = new Work();
    await engine.serve(work.perform, { concurrency: 10 });
    for (const [index, mode] of (["immediate", "fast", "immediate"] as const).entries()) {
      await engine.submit(job(`run-${index}`));
      await vi.waitFor(() => expect(work.started).toContain(`run-${index}`), patience);
      await server.stop(mode);
      await server.start();
    }
    await engine.submit(job("last"));
    await vi.waitFor(() => expect(work.started).toContain("last"), patience);
    const finish = setInterval(() => work.finish(), 20);
    onTestFinished(() => clearInterval(finish));

    await vi.waitFor(async () => expect(await engine.waiting()).toBe(0), patience);
  });

  it("is drained and closed while the server is down", async () => {
    const engine = testEngine({ connectionString: server.url });
    const work = new Work();
    const serving = await engine.serve(work.perform, { concurrency: 1 });
    await engine.submit(job("drained"));
    await vi.waitFor(() => expect(work.started).toEqual(["drained"]), patience);
    await server.stop("immediate");
    onTestFinished(async () => await server.start());
    const beganAt = performance.now();
    await serving.drain(0);
    await engine.close();

    expect(work.aborted).toEqual(["drained"]);
    expect(performance.now() - beganAt).toBeLessThan(20_000);
  });

  it("rejects a job while the server is down, and takes it afterwards", async () => {
    const engine = testEngine({ connectionString: server.url });
    await server.stop("immediate");
    await expect(engine.submit(job("a"))).rejects.toMatchObject({ code: "storage_unavailable" });
    await expect(engine.serve(async () => {}, { concurrency: 1 })).rejects.toMatchObject({
      code: "storage_unavailable",
    });
    await server.start();
    const work = new Work();
    await engine.submit(job("a"));
    await engine.serve(work.perform, { concurrency: 1 });

    await vi.waitFor(() => expect(work.started).toEqual(["a"]), patience);
  });
});

describe.skipIf(redisUrl === "")("BullMqEngine on a Redis that loses its data", { timeout: 120_000 }, () => {
  it("aborts a job that Redis lost, performs it again, and takes others", async () => {
    const queue = freshQueue();
    const engine = testEngine({ redis: redisUrl, queue });
    const work = new Work();
    await engine.serve(work.perform, { concurrency: 10 });
    await engine.submit(job("a"));
    await vi.waitFor(() => expect(work.started).toEqual(["a"]), patience);
    await forget(`bull:${queue}:*`);

    await vi.waitFor(() => expect(work.started).toEqual(["a", "a"]), patience);
    expect(work.aborted).toEqual(["a"]);
    await engine.submit(job("b"));
    await vi.waitFor(() => expect(work.started).toContain("b"), patience);
  });

  it("goes on when its connections are closed", async () => {
    const engine = testEngine({ redis: redisUrl });
    const work = new Work();
    await engine.serve(work.perform, { concurrency: 10 });
    const client = redisClient();
    await client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await engine.submit(job("a"));

    await vi.waitFor(() => expect(work.started).toEqual(["a"]), patience);
  });

  it("says of a job that Redis lost that it was aborted, once", async () => {
    const lines: string[] = [];
    const logger = createLogger({ level: "warn", write: (line) => lines.push(line) });
    const queue = freshQueue();
    const engine = testEngine({ redis: redisUrl, queue, logger });
    const work = new Work();
    await engine.serve(work.perform, { concurrency: 10 });
    await Promise.all(["a", "b"].map(async (id) => await engine.submit(job(id))));
    await vi.waitFor(() => expect(work.started.toSorted()).toEqual(["a", "b"]), patience);
    await forget(`bull:${queue}:*`);
    await vi.waitFor(() => expect(work.started).toHaveLength(4), patience);

    expect(lines.filter((line) => line.includes("lock"))).toEqual([
      expect.stringMatching(/A job was aborted\..*lost its lock on the run/),
    ]);
  });

  it("rejects a job when nothing answers at the address", async () => {
    const engine = testEngine({ redis: "redis://127.0.0.1:1" });

    await expect(engine.submit(job("a"))).rejects.toMatchObject({ code: "storage_unavailable" });
  });
});

describe.skipIf(redisUrl === "")("BullMqEngine while its Redis is away", { timeout: 120_000 }, () => {
  it("is drained and closed a few seconds after the grace period", async () => {
    const { proxy, engine, lines } = await engineBehindProxy();
    const work = new Work();
    const serving = await engine.serve(work.perform, { concurrency: 10 });
    await engine.submit(job("a"));
    await vi.waitFor(() => expect(work.started).toEqual(["a"]), patience);
    loseServer(proxy);
    const beganAt = performance.now();
    await serving.drain(1000);
    const drainedMs = performance.now() - beganAt;
    await engine.close();

    expect(work.aborted).toEqual(["a"]);
    expect(drainedMs).toBeGreaterThan(900);
    expect(performance.now() - beganAt).toBeLessThan(30_000);
    expect(lines.join("")).toContain("Not all jobs were given back.");
  });

  it("fails to serve within seconds", async () => {
    const { proxy, engine } = await engineBehindProxy();
    await engine.submit(job("a"));
    loseServer(proxy);

    await expect(engine.serve(async () => {}, { concurrency: 1 })).rejects.toMatchObject({
      code: "storage_unavailable",
    });
    await proxy.acceptConnections();
    const work = new Work();
    await engine.serve(work.perform, { concurrency: 1 });
    await vi.waitFor(() => expect(work.started).toEqual(["a"]), patience);
  });

  it("lets a process end that has closed its engine", async () => {
    const { proxy, engine, url, queue } = await engineBehindProxy();
    const child = await startChild({ redis: url }, queue);
    await engine.submit(job("a"));
    await told(child, "started", "a");
    loseServer(proxy);
    child.send({ close: true });

    expect(await child.exit).toEqual({ code: 0, signal: null });
  });
});

/** As FLUSHALL does it, but to one queue: other tests use the server, too. */
async function forget(pattern: string): Promise<void> {
  const client = redisClient();
  await client.del(await client.keys(pattern));
}

async function engineBehindProxy() {
  const { hostname: host, port } = new URL(redisUrl);
  const proxy = await TcpProxy.start({ target: { host, port: Number(port) } });
  onTestFinished(async () => await proxy.close());
  const lines: string[] = [];
  const logger = createLogger({ level: "warn", write: (line) => lines.push(line) });
  const [url, queue] = [`redis://127.0.0.1:${proxy.port}`, freshQueue()];
  return { proxy, engine: testEngine({ redis: url, queue, logger }), lines, url, queue };
}

function loseServer(proxy: TcpProxy): void {
  proxy.refuseConnections();
  proxy.reset();
}

function redisClient(): Redis {
  const client = new Redis(redisUrl);
  onTestFinished(() => client.disconnect());
  return client;
}
