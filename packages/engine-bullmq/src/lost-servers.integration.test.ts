import { PostgresServer } from "@troupe-internal/fault-tools";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { freshQueue, job, postgresUrl, redisUrl, testEngine, Work } from "../test/servers.ts";

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

  it("rejects a job when nothing answers at the address", async () => {
    const engine = testEngine({ redis: "redis://127.0.0.1:1" });

    await expect(engine.submit(job("a"))).rejects.toMatchObject({ code: "storage_unavailable" });
  });
});

/** As FLUSHALL does it, but to one queue: other tests use the server, too. */
async function forget(pattern: string): Promise<void> {
  const client = redisClient();
  await client.del(await client.keys(pattern));
}

function redisClient(): Redis {
  const client = new Redis(redisUrl);
  onTestFinished(() => client.disconnect());
  return client;
}
