import { EventEmitter } from "node:events";
import { createLogger } from "@troupe/core";
import type { Queue, Worker } from "bullmq";
import { describe, expect, it, vi } from "vitest";
import type { Backend } from "./backend.ts";
import { readEngineOptions } from "./bullmq-options.ts";
import { ClockGuard } from "./clock-guard.ts";
import { FailureLog } from "./engine-failure.ts";
import { JobServer } from "./job-server.ts";

type Settings = Parameters<Backend["makeWorker"]>[2];

/** A backend that records the settings of its workers, which take no jobs. */
class RecordingBackend implements Backend {
  readonly settings: Settings[] = [];
  readonly workers: EventEmitter[] = [];
  closed = 0;
  readonly clock = { now: async () => Date.now(), clearFutureChecks: async () => {} };
  readonly #whenReady: () => Promise<void>;

  constructor(whenReady = async () => {}) {
    this.#whenReady = whenReady;
  }

  makeQueue(): Queue {
    return new EventEmitter() as Queue;
  }

  makeWorker(_name: string, _process: unknown, settings: Settings): Worker {
    this.settings.push(settings);
    const close = async () => void this.closed++;
    const worker = Object.assign(new EventEmitter(), {
      waitUntilReady: this.#whenReady,
      run: async () => {},
      close,
    });
    this.workers.push(worker);
    return worker as unknown as Worker;
  }

  async end(): Promise<void> {}
}

function serverOn(backend: Backend, warnings: string[] = []) {
  const { lockMs, now, queue } = readEngineOptions({ connectionString: "postgres://127.0.0.1" });
  const log = new FailureLog(createLogger({ level: "warn", write: (line) => warnings.push(line) }));
  const submit = async () => {};
  const init = { perform: async () => {}, concurrency: 7, queue, lockMs, onSchedule: async () => {}, log, submit };
  const open = { backend, queue: backend.makeQueue(queue), schedules: backend.makeQueue(queue) };
  const server = new JobServer(init);
  const guard = backend.clock && new ClockGuard({ clock: backend.clock, now, lockMs, queues: [queue] });
  return { server, start: () => server.start(open, guard) };
}

describe("JobServer", () => {
  it("locks jobs for 3 s, and renews locks and looks for expired ones each second", async () => {
    const backend = new RecordingBackend();
    const { server, start } = serverOn(backend);
    await start();
    await server.drain(0);

    expect(backend.settings[0]).toEqual({
      concurrency: 7,
      lockDuration: 3000,
      lockRenewTime: 1000,
      stalledInterval: 1000,
      maxStalledCount: 2 ** 31 - 1,
      runRetryDelay: 1000,
      drainDelay: 1,
      autorun: false,
    });
  });

  it.each([0, 1, 2])(
    "makes no more workers when it is drained with %i of them made, and closes those",
    async (made) => {
      const reached: (() => void)[] = [];
      const wait = async () => await new Promise<void>((resolve) => reached.push(resolve));
      const backend = new RecordingBackend(async () => (backend.workers.length < made ? undefined : await wait()));
      if (made === 0) backend.clock.clearFutureChecks = wait;
      const { server, start } = serverOn(backend);
      const started = start();
      await vi.waitFor(() => expect(reached).toHaveLength(1));
      await server.drain(0);
      for (const resolve of reached) resolve();

      await expect(started).rejects.toMatchObject({ code: "unavailable" });
      expect(backend).toMatchObject({ workers: { length: made }, closed: made });
    },
  );

  it("says of a lock that was lost what happens to the job, and not that the worker failed", async () => {
    const warnings: string[] = [];
    const backend = new RecordingBackend();
    const { server, start } = serverOn(backend, warnings);
    await start();
    backend.workers[0]?.emit("error", new Error("could not renew lock for job a_1"));
    expect(warnings).toEqual([]);
    backend.workers[0]?.emit("error", new Error("something else"));
    await server.drain(0);

    expect(warnings).toEqual([expect.stringMatching(/The worker of the engine failed\..*something else/)]);
  });
});

describe("the clock of a process", () => {
  it("is compared every minute, and within a second after it was set", async () => {
    vi.useFakeTimers();
    try {
      let skewMs = 0;
      const clock = { now: async () => Date.now(), clearFutureChecks: async () => {} };
      const guard = new ClockGuard({ clock, now: () => Date.now() + skewMs, lockMs: 3000, queues: [] });
      const found: boolean[] = [];
      await guard.check();
      const stop = guard.watch(async () => void found.push((await guard.check()) !== undefined));
      await vi.advanceTimersByTimeAsync(59_000);
      expect(found).toEqual([]);
      await vi.advanceTimersByTimeAsync(1000);
      expect(found).toEqual([false]);
      skewMs = 60_000;
      await vi.advanceTimersByTimeAsync(1000);
      expect(found).toEqual([false, true]);
      skewMs = 0;
      await vi.advanceTimersByTimeAsync(1000);
      expect(found).toEqual([false, true, false]);
      stop();
      await vi.advanceTimersByTimeAsync(120_000);

      expect(found).toHaveLength(3);
    } finally {
      vi.useRealTimers();
    }
  });
});
