import { randomUUID } from "node:crypto";
import type { RunJob } from "@troupe/core/runs";
import { TestChild } from "@troupe-internal/fault-tools";
import type { Queue } from "bullmq";
import { onTestFinished } from "vitest";
import { BullMqEngine } from "../src/bullmq-engine.ts";
import { readEngineOptions } from "../src/bullmq-options.ts";
import type { BullMqEngineOptions } from "../src/bullmq-options.ts";
import { FailureLog } from "../src/engine-failure.ts";
import { openQueue } from "../src/open-queue.ts";

/** The addresses from `pnpm test:services`. Empty when there is no such server: the tests that need it are skipped. */
export const postgresUrl = addressOf("TROUPE_TEST_POSTGRES_URL");
export const redisUrl = addressOf("TROUPE_TEST_REDIS_URL");
/** A pooler in transaction mode, before a PostgreSQL of its own. */
export const poolerUrl = addressOf("TROUPE_TEST_PGBOUNCER_URL");

function addressOf(variable: string): string {
  const url = process.env[variable];
  if (url === undefined) throw new Error("These tests need a server: run them with `pnpm test:services`.");
  return url;
}

/** The databases of an engine: its name, its address, and the options that name it. */
export const databases: readonly { name: string; url: string; connection: BullMqEngineOptions }[] = [
  { name: "PostgreSQL", url: postgresUrl, connection: { connectionString: postgresUrl } },
  { name: "Redis", url: redisUrl, connection: { redis: redisUrl } },
];

/** Makes an engine with a queue of its own. */
export function freshEngine(options: BullMqEngineOptions): BullMqEngine {
  return new BullMqEngine({ queue: freshQueue(), ...options });
}

/** Makes an engine that is closed after the test. */
export function testEngine(options: BullMqEngineOptions): BullMqEngine {
  const engine = freshEngine(options);
  onTestFinished(async () => await engine.close());
  return engine;
}

/** Returns the name of a queue that no other test has. */
export function freshQueue(): string {
  return `test-${randomUUID()}`;
}

/** Opens the queue of an engine as BullMQ sees it. */
export async function openBullMqQueue(options: BullMqEngineOptions): Promise<Queue> {
  const { queue, backend } = await openQueue(readEngineOptions(options), {
    log: new FailureLog(undefined),
    signal: new AbortController().signal,
  });
  onTestFinished(async () => {
    await queue.close();
    await backend.end();
  });
  return queue;
}

/** Starts a process that serves the queue. */
export async function startChild(connection: BullMqEngineOptions, queue: string): Promise<TestChild> {
  const file = new URL("engine-child.ts", import.meta.url);
  const child = await TestChild.start(file, { args: [JSON.stringify(connection), queue] });
  onTestFinished(async () => await child.close());
  await child.next((message): message is string => message === "serving");
  return child;
}

/** Resolves when the child says that it has started the run, or that the run was aborted there. */
export async function told(child: TestChild, what: "started" | "aborted", runId: string): Promise<void> {
  const isIt = (message: unknown): message is object => (message as Record<string, unknown>)[what] === runId;
  if (!child.messages.some(isIt)) await child.next(isIt);
}

export function job(runId: string): RunJob {
  return { runId, activation: 1 };
}

/** Jobs that last until `finish` is called or their signals abort. */
export class Work {
  readonly started: string[] = [];
  readonly aborted: string[] = [];
  #finish: (() => void)[] = [];

  readonly perform = async ({ runId }: RunJob, signal: AbortSignal): Promise<void> => {
    this.started.push(runId);
    await new Promise<void>((resolve) => {
      this.#finish.push(resolve);
      signal.addEventListener("abort", () => {
        this.aborted.push(runId);
        resolve();
      });
    });
  };

  finish(): void {
    for (const resolve of this.#finish.splice(0)) resolve();
  }
}
