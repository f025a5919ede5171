import { EventEmitter } from "node:events";
import type * as BullMq from "bullmq";
import { describe, expect, it, vi } from "vitest";
import { openRedis } from "./open-redis.ts";
import type { EngineSettings } from "./bullmq-options.ts";

/** A client of Redis that keeps what it was asked for. */
class FakeRedis extends EventEmitter {
  status = "ready";
  readonly calls: string[] = [];
  readonly copies: FakeRedis[] = [];
  readonly given: unknown;

  constructor(given?: unknown) {
    super();
    this.given = given;
  }

  duplicate(override?: unknown): FakeRedis {
    const copy = new FakeRedis(override);
    this.copies.push(copy);
    return copy;
  }

  disconnect(): void {
    this.calls.push(`disconnect (${this.status})`);
  }

  async connect(): Promise<void> {
    this.calls.push("connect");
    await Promise.reject(new Error("Connection is closed."));
  }
}

/** Opens the engine's connection beside a given client. */
async function open() {
  const given = new FakeRedis();
  const made: unknown[][] = [];
  const keep = (kind: string) =>
    function (...options: unknown[]): void {
      made.push([kind, ...options]);
    };
  const library = { Queue: keep("queue"), Worker: keep("worker") };
  const onError = vi.fn<(error: unknown) => void>();
  const settings = { redis: given, prefix: "mine" } as unknown as EngineSettings;
  const backend = await openRedis(settings, library as unknown as typeof BullMq, onError);
  const client = given.copies[0] as FakeRedis;
  return { given, client, made, onError, backend };
}

describe("openRedis", () => {
  it("asks a given client for a copy alone, whose commands wait for the server", async () => {
    const { given, client } = await open();
    const { retryStrategy, ...options } = client.given as { retryStrategy: (times: number) => number };

    expect(options).toEqual({ maxRetriesPerRequest: null, enableOfflineQueue: true, disconnectTimeout: 200 });
    expect([1, 2, 19, 20, 21, 1000].map(retryStrategy)).toEqual([50, 100, 950, 1000, 1000, 1000]);
    expect([given.copies.length, given.calls, given.listenerCount("error")]).toEqual([1, [], 0]);
  });

  it("makes queues and workers over its own connection and prefix, which no setting replaces", async () => {
    const { client, made, backend } = await open();
    const process = async () => {};
    backend.makeQueue("q");
    backend.makeWorker("w", process, { concurrency: 3, prefix: "other", connection: {} } as never);

    expect(made).toEqual([
      ["queue", "q", { connection: client, prefix: "mine" }],
      ["worker", "w", process, { concurrency: 3, connection: client, prefix: "mine" }],
    ]);
  });

  it("passes on each error of its connection", async () => {
    const { client, onError } = await open();
    const errors = [new Error("one"), new Error("two")];
    for (const error of errors) client.emit("error", error);

    expect(onError.mock.calls).toEqual(errors.map((error) => [error]));
  });

  it("ends its connection and the copies that BullMQ made of it, with what it asked for, but no given client", async () => {
    const { given, client, backend } = await open();
    const copies = [client.duplicate({ a: 1 }), client.duplicate()];
    await backend.end();

    expect(copies.map((copy) => copy.given)).toEqual([{ a: 1 }, undefined]);
    expect([client, ...copies].map(({ calls }) => calls)).toEqual([1, 2, 3].map(() => ["disconnect (ready)"]));
    expect(given.calls).toEqual([]);
  });

  it.each([
    ["end", []],
    ["ready", ["disconnect (ready)"]],
    ["connecting", ["disconnect (connecting)"]],
    ["wait", ["disconnect (wait)"]],
    ["reconnecting", ["disconnect (reconnecting)", "connect", "disconnect (reconnecting)"]],
  ])("ends a connection whose status is %s by %j, and a second time alike", async (status, calls) => {
    const { client, backend } = await open();
    client.status = status;
    await backend.end();
    expect(client.calls).toEqual(calls);
    client.status = "end";
    await backend.end();

    expect(client.calls).toEqual(calls);
  });
});
