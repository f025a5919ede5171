import { EventEmitter } from "node:events";
import type { Perform } from "@troupe/core/runs";
import type { Queue } from "bullmq";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { RecordingBackend } from "../test/job-servers.ts";
import { BullMqEngine } from "./bullmq-engine.ts";

const now = Date.parse("2026-11-20T10:00:00Z");
const perform: Perform = async () => await Promise.resolve(undefined);

/** A queue that keeps what it is asked, and answers each request with the next of the answers, or throws it. */
class ScriptedQueue extends EventEmitter {
  readonly asked: unknown[] = [];
  answers: unknown[] = [];

  readonly add = this.#answer("add");
  readonly remove = this.#answer("remove");
  readonly getJobCounts = this.#answer("getJobCounts");
  readonly getJobs = this.#answer("getJobs");
  readonly close = this.#answer("close");
  readonly waitUntilReady = this.#answer("ready");

  #answer(name: string) {
    return async (...given: unknown[]) => {
      this.asked.push([name, ...given]);
      const answer = name === "ready" || name === "close" ? undefined : this.answers.shift();
      if (answer instanceof Error) throw answer;
      return await Promise.resolve(answer);
    };
  }

  /** Returns the requests of a kind. */
  of(name: string): unknown[][] {
    return (this.asked as unknown[][]).filter(([kind]) => kind === name).map(([, ...given]) => given);
  }
}

class ScriptedBackend extends RecordingBackend {
  readonly queue = new ScriptedQueue();

  override makeQueue(): Queue {
    return this.queue as unknown as Queue;
  }

  override async end(): Promise<void> {
    await Promise.resolve();
    this.queue.asked.push(["end"]);
  }
}

let backend = new ScriptedBackend();
let opening: (Error | undefined)[] = [];
let opened = 0;

function start() {
  const engine = new BullMqEngine({ connectionString: "postgres://127.0.0.1:1/db", now: () => Date.now() });
  return { engine, queue: backend.queue };
}

// The library is loaded before clocks are replaced.
beforeAll(async () => void (await import("bullmq")));
beforeEach(() => {
  [backend, opening, opened] = [new ScriptedBackend(), [], 0];
  vi.useFakeTimers({ now });
  vi.doMock("./open-postgres.ts", () => ({
    openPostgres: async () => {
      opened++;
      const failure = opening.shift();
      if (failure !== undefined) throw failure;
      return await Promise.resolve(backend);
    },
  }));
});
afterEach(() => {
  vi.useRealTimers();
  vi.doUnmock("./open-postgres.ts");
});

const lost = (code = "ECONNRESET") => Object.assign(new Error("lost"), { code });

describe("a call of BullMqEngine", () => {
  it.each<[object, object]>([
    [{}, { jobId: "r_1", priority: 11, delay: 0 }],
    [{ priority: 0 }, { priority: 1 }],
    [{ priority: -5 }, { priority: 1 }],
    [
      { priority: 7, activation: 12 },
      { jobId: "r_12", priority: 8 },
    ],
    [{ runId: "é:/b" }, { jobId: "%C3%A9%3A%2Fb_1" }],
    [{ notBefore: now + 1500.2 }, { delay: 1501 }],
    [{ notBefore: now - 1 }, { delay: 0 }],
    [
      { notBefore: undefined, priority: undefined },
      { priority: 11, delay: 0 },
    ],
  ])("submits a job with %j as %j", async (given, options) => {
    const { engine, queue } = start();
    const job = { runId: "r", activation: 1, ...given };
    await engine.submit(job);
    const [[name, data, sent] = []] = queue.of("add");
    const { runId, activation, priority = 10 } = job as Record<string, unknown>;

    expect([name, data]).toEqual(["run", { runId, activation, priority }]);
    expect(sent).toMatchObject({ ...options, removeOnComplete: true, removeOnFail: true });
  });

  it("withdraws the jobs of the first eight activations", async () => {
    const { engine, queue } = start();
    await engine.withdraw("é");

    expect(queue.of("remove")).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((activation) => [`%C3%A9_${activation}`]));
  });

  it("counts all jobs that wait", async () => {
    const { engine, queue } = start();
    queue.answers = [{ waiting: 1, prioritized: 20, delayed: 300 }, {}];

    expect([await engine.waiting(), await engine.waiting()]).toEqual([321, 0]);
    expect(queue.of("getJobCounts")[0]).toEqual(["waiting", "prioritized", "delayed"]);
  });

  it("returns the time of the longest-waiting job, after its delay", async () => {
    const { engine, queue } = start();
    queue.answers = [
      [
        { timestamp: 5, opts: { delay: 100 } },
        { timestamp: 30, opts: {} },
        { timestamp: 40, opts: { delay: 0 } },
      ],
      [],
    ];

    expect([await engine.waitingSince(), await engine.waitingSince()]).toEqual([30, undefined]);
    expect(queue.of("getJobs")[0]).toEqual([["waiting", "prioritized"], 0, 99, true]);
  });

  it("tries again after connections that were lost, on the queue that is open", async () => {
    const { engine, queue } = start();
    queue.answers = [lost(), lost("57P01"), { waiting: 2 }];
    const waiting = engine.waiting();
    await vi.advanceTimersByTimeAsync(1000);

    expect(await waiting).toBe(2);
    expect([queue.of("getJobCounts").length, opened]).toEqual([3, 1]);
  });

  it("fails at once for another failure, and works the next time", async () => {
    const { engine, queue } = start();
    queue.answers = [lost("42501"), { waiting: 2 }];

    await expect(engine.waiting()).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(await engine.waiting()).toBe(2);
    expect(queue.of("getJobCounts")).toHaveLength(2);
  });

  it("opens the queue again after it could not be opened", async () => {
    const { engine, queue } = start();
    opening = [lost("28P01"), lost()];
    queue.answers = [{ waiting: 2 }];

    await expect(engine.waiting()).rejects.toMatchObject({ code: "storage_unavailable" });
    const waiting = engine.waiting();
    await vi.advanceTimersByTimeAsync(1000);
    expect(await waiting).toBe(2);
    expect(opened).toBe(3);
  });

  it("gives up a database that loses each connection for five seconds", async () => {
    const { engine, queue } = start();
    queue.answers = Array.from({ length: 100 }, () => lost());
    const failure = engine.waiting().catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(6000);

    expect(await failure).toMatchObject({ code: "storage_unavailable" });
    expect(queue.of("getJobCounts").length).toBeLessThan(27);
  });
});

describe("BullMqEngine that serves", () => {
  it("serves once at a time, and again after it was drained", async () => {
    const { engine } = start();
    const serving = await engine.serve(perform, { concurrency: 3 });

    await expect(engine.serve(perform, { concurrency: 1 })).rejects.toMatchObject({ code: "conflict" });
    await serving.drain(0);
    await (await engine.serve(perform, { concurrency: 2 })).drain(0);
    expect(backend.settings.map(({ concurrency }) => concurrency)).toEqual([3, 2]);
    expect([backend.closed, opened]).toEqual([2, 1]);
    await engine.close();
  });

  it("can serve after a failed attempt", async () => {
    const { engine } = start();
    opening = [lost("28P01")];

    await expect(engine.serve(perform, { concurrency: 1 })).rejects.toMatchObject({ code: "storage_unavailable" });
    await engine.serve(perform, { concurrency: 1 });
    expect(backend.settings).toHaveLength(1);
    await engine.close();
  });

  it("drains, closes its queue and ends its connections when it is closed, once", async () => {
    const { engine, queue } = start();
    await engine.serve(perform, { concurrency: 1 });
    await engine.close();
    await engine.close();

    expect(backend.closed).toBe(1);
    expect(queue.asked.slice(-2)).toEqual([["close"], ["end"]]);
    expect([queue.of("close").length, queue.of("end").length]).toEqual([1, 1]);
    await expect(engine.waiting()).rejects.toMatchObject({ code: "unavailable" });
    await expect(engine.serve(perform, { concurrency: 1 })).rejects.toMatchObject({ code: "unavailable" });
  });
});
