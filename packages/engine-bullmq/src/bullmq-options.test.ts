import { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { BullMqEngine } from "./bullmq-engine.ts";
import type { BullMqEngineOptions } from "./bullmq-options.ts";

const connectionString = "postgres://app:secret@127.0.0.1:5432/app";

describe("the options of BullMqEngine", () => {
  it.each([
    [{}, "BullMqEngine needs one database, got 0. Pass one of pool, connectionString and redis."],
    [{ connectionString, redis: "redis://127.0.0.1" }, "BullMqEngine needs one database, got 2."],
    [{ connectionString: "127.0.0.1:5432" }, "connectionString must be an address such as postgres://"],
    [{ redis: "127.0.0.1" }, "redis must be an address such as redis://host:6379, or a client of ioredis"],
    [{ redis: {} }, "redis must be an address"],
    [{ pool: {} }, "pool must be a Pool of pg"],
    [{ connectionString, queue: "a:b" }, "queue must be a name of 1 to 100 letters"],
    [{ connectionString, lockMs: 100 }, "lockMs must be an integer from 300"],
    [{ connectionString, max: 2 }, "max must be an integer of 3 or more"],
    [{ connectionString, prefix: "troupe" }, "The option prefix of BullMqEngine is for Redis."],
    [{ redis: "redis://127.0.0.1", max: 6 }, "The option max of BullMqEngine is for PostgreSQL."],
  ])("%j is refused", (options, message) => {
    const make = () => new BullMqEngine(options as BullMqEngineOptions);

    expect(make).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(message) }),
    );
  });

  it("refuse a client of Redis with a keyPrefix, which BullMQ does not support", () => {
    const redis = new Redis({ keyPrefix: "app:", lazyConnect: true });

    expect(() => new BullMqEngine({ redis })).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining("has a keyPrefix") }),
    );
  });

  it("the options of BullMqEngine that are right connect to nothing before the first call", async () => {
    const engine = new BullMqEngine({ connectionString });
    await engine.close();
    await engine.close();

    await expect(engine.submit({ runId: "a", activation: 1 })).rejects.toMatchObject({ code: "unavailable" });
  });
});
