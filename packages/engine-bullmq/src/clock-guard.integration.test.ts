import { createLogger } from "@troupe/core";
import { Pool } from "pg";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { freshQueue, job, postgresUrl, redisUrl, startChild, testEngine, told, Work } from "../test/servers.ts";

afterEach(() => vi.useRealTimers());

const ahead = () => Date.now() + 600;

describe.skipIf(postgresUrl === "")("the clock of a process on PostgreSQL", () => {
  it("is refused when it differs by more than a sixth of the lock, with what to do", async () => {
    const engine = testEngine({ connectionString: postgresUrl, lockMs: 3000, now: ahead });
    const served = engine.serve(async () => {}, { concurrency: 1 });

    await expect(served).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(
        /^The clock of this process differs by \d+ ms from the database's, and may by 500 ms: a sixth of lockMs\. Synchronize the clocks/,
      ),
    });
  });

  it("may differ by less than a sixth of the lock, ahead or behind", async () => {
    for (const now of [ahead, () => Date.now() - 600]) {
      const engine = testEngine({ connectionString: postgresUrl, lockMs: 6000, now });

      await expect(engine.serve(async () => {}, { concurrency: 1 })).resolves.toBeDefined();
    }
  });

  it("stops the taking of jobs when it becomes wrong, says so, and starts it again when it is right", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const lines: string[] = [];
    const logger = createLogger({ level: "info", write: (line) => lines.push(line) });
    let skewMs = 0;
    const engine = testEngine({ connectionString: postgresUrl, now: () => Date.now() + skewMs, logger });
    const work = new Work();
    await engine.serve(work.perform, { concurrency: 2 });
    await engine.submit(job("before"));
    await vi.waitFor(() => expect(work.started).toEqual(["before"]), { timeout: 60_000 });
    skewMs = 60_000;
    await vi.advanceTimersByTimeAsync(60_000);
    await vi.waitFor(() => expect(lines.join("")).toMatch(/No more jobs are taken\. The clock of this process/), {
      timeout: 60_000,
    });
    await engine.submit(job("meanwhile"));
    work.finish();
    await engine.submit(job("later"));
    expect(work).toMatchObject({ started: ["before"], aborted: [] });
    skewMs = 0;
    await vi.advanceTimersByTimeAsync(60_000);

    await vi.waitFor(() => expect(work.started.toSorted()).toEqual(["before", "later", "meanwhile"]), {
      timeout: 60_000,
    });
  });

  it("is reported while it is wrong, so that no scheduled runs begin here, from the second after it was set", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    let skewMs = 0;
    const options = { connectionString: postgresUrl, queue: freshQueue() };
    const engine = testEngine({ ...options, now: () => Date.now() + skewMs });
    await engine.serve(async () => {}, { concurrency: 1 });
    expect(engine.isClockWrong()).toBe(false);
    skewMs = 60_000;
    await vi.advanceTimersByTimeAsync(1000);
    await vi.waitFor(() => expect(engine.isClockWrong()).toBe(true), { timeout: 60_000 });
    skewMs = 0;
    await vi.advanceTimersByTimeAsync(1000);

    await vi.waitFor(() => expect(engine.isClockWrong()).toBe(false), { timeout: 60_000 });
  });

  it("keeps no other process from taking over the jobs of one that died, once it was ahead", async () => {
    const queue = freshQueue();
    const child = await startChild({ connectionString: postgresUrl }, queue);
    const engine = testEngine({ connectionString: postgresUrl, queue });
    await engine.submit(job("a"));
    await told(child, "started", "a");
    await child.kill();
    // As a process writes it whose clock is a day ahead.
    const pool = new Pool({ connectionString: postgresUrl });
    onTestFinished(async () => await pool.end());
    const tomorrow = String(Date.now() + 86_400_000);
    const { rowCount } = await pool.query(
      "update bullmq.meta set value = $2 where queue = $1 and field = 'stalled-check'",
      [queue, tomorrow],
    );
    expect(rowCount).toBe(1);
    const work = new Work();
    await engine.serve(work.perform, { concurrency: 1 });

    await vi.waitFor(() => expect(work.started).toEqual(["a"]), { timeout: 30_000 });
  });
});

describe.skipIf(redisUrl === "")("the clock of a process on Redis", () => {
  it("makes no difference: locks end by the clock of Redis", async () => {
    const engine = testEngine({ redis: redisUrl, now: ahead });

    await expect(engine.serve(async () => {}, { concurrency: 1 })).resolves.toBeDefined();
  });
});
