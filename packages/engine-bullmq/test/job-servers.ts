import { EventEmitter } from "node:events";
import { createLogger } from "@troupe/core";
import type { Perform } from "@troupe/core/runs";
import type { Job, Queue, Worker } from "bullmq";
import { onTestFinished, vi } from "vitest";
import type { Backend } from "../src/backend.ts";
import { readEngineOptions } from "../src/bullmq-options.ts";
import { ClockGuard } from "../src/clock-guard.ts";
import { FailureLog } from "../src/engine-failure.ts";
import { JobServer } from "../src/job-server.ts";

type Settings = Parameters<Backend["makeWorker"]>[2];
type Process = Parameters<Backend["makeWorker"]>[1];
type Submit = (task: { runId: string }) => Promise<void>;

/** A backend that records the settings of its workers, which take the jobs that a test gives to their functions. */
export class RecordingBackend implements Backend {
  readonly settings: Settings[] = [];
  readonly workers: EventEmitter[] = [];
  readonly processes: Process[] = [];
  readonly #paused: boolean[] = [];
  readonly #active: Promise<void>[] = [];
  closed = 0;
  readonly clock = { now: async () => Date.now(), clearFutureChecks: async () => {} };
  readonly #whenReady: () => Promise<void>;

  constructor(whenReady = async () => {}) {
    this.#whenReady = whenReady;
  }

  makeQueue(): Queue {
    return new EventEmitter() as Queue;
  }

  makeWorker(_name: string, process: Process, settings: Settings): Worker {
    this.settings.push(settings);
    this.processes.push(async (...given) => {
      const work = process(...given);
      this.#active.push(work);
      await work;
    });
    const place = this.#paused.push(false) - 1;
    const setPaused = (isPaused: boolean) => void (this.#paused[place] = isPaused);
    const close = async () => {
      this.closed++;
      await Promise.allSettled(this.#active);
    };
    const worker = Object.assign(new EventEmitter(), {
      waitUntilReady: this.#whenReady,
      run: async () => {},
      pause: async () => setPaused(true),
      resume: () => setPaused(false),
      close,
    });
    this.workers.push(worker);
    return worker as unknown as Worker;
  }

  /** Returns for each worker whether it is paused. */
  states(): boolean[] {
    return [...this.#paused];
  }

  async end(): Promise<void> {}
}

export function serverOn(
  backend: Backend,
  warnings: string[] = [],
  { perform = async () => {}, submit = async () => {} }: { perform?: Perform; submit?: Submit } = {},
) {
  const { lockMs, queue } = readEngineOptions({ connectionString: "postgres://127.0.0.1" });
  const log = new FailureLog(createLogger({ level: "warn", write: (line) => warnings.push(line) }));
  let skewMs = 0;
  const now = () => Date.now() + skewMs;
  const init = { perform, concurrency: 7, queue, lockMs, log, submit };
  const open = { backend, queue: backend.makeQueue(queue) };
  const server = new JobServer(init);
  // Its timers end at once. The jobs of some tests never do, so their end is not waited for.
  onTestFinished(() => void server.drain(0));
  const guard = backend.clock && new ClockGuard({ clock: backend.clock, now, lockMs, queues: [queue] });
  return { server, start: () => server.start(open, guard), setSkew: (ms: number) => void (skewMs = ms) };
}

type Move = (...given: unknown[]) => Promise<void>;

/** A job of a run that records how it is moved. */
export function jobOf(runId: string, { id = `job of ${runId}`, fails = false } = {}) {
  const moves: unknown[][] = [];
  const move =
    (name: string): Move =>
    async (...given) => {
      moves.push([name, ...given]);
      if (fails && name !== "promote") throw new Error("The database is away.");
    };
  const names = ["changePriority", "moveToWait", "moveToDelayed", "promote"];
  const job = { id, data: { runId }, ...Object.fromEntries(names.map((name) => [name, move(name)])) };
  return { job: job as unknown as Job, moves, names: () => moves.map(([name]) => name) };
}

/** Starts a server whose runs end when the test says so. */
export async function startPerforming() {
  const backend = new RecordingBackend();
  const performing = new Map<string, { signal: AbortSignal; end: (back?: { againInMs: number }) => void }>();
  const submit = vi.fn<(task: { runId: string }) => Promise<void>>(async () => {});
  const perform: Perform = async ({ runId }, signal) => {
    const { promise, resolve } = Promise.withResolvers<{ againInMs: number } | undefined>();
    performing.set(runId, { signal, end: resolve });
    signal.addEventListener("abort", () => resolve(undefined));
    return await promise;
  };
  const { server, start, setSkew } = serverOn(backend, [], { perform, submit });
  await start();
  const ended = new Map<unknown, string>();
  const take = (job: Job): void => {
    const over = backend.processes[0]?.(job, "token") ?? Promise.reject(new Error("There is no worker."));
    over.then(
      () => ended.set(job, "done"),
      (error: Error) => ended.set(job, error.name),
    );
  };
  return { backend, server, performing, submit, take, ended, setSkew };
}
