import { randomUUID } from "node:crypto";
import { BullMqEngine } from "../src/bullmq-engine.ts";
import type { BullMqEngineOptions } from "../src/bullmq-options.ts";

/** The addresses from `pnpm test:services`. Empty when there is no such server: the tests that need it are skipped. */
const postgresUrl = addressOf("TROUPE_TEST_POSTGRES_URL");
const redisUrl = addressOf("TROUPE_TEST_REDIS_URL");

function addressOf(variable: string): string {
  const url = process.env[variable];
  if (url === undefined) throw new Error("These tests need a server: run them with `pnpm test:services`.");
  return url;
}

/** The databases of an engine: its name, if it is there, and the options that name it. */
export const databases = [
  { name: "PostgreSQL", url: postgresUrl, connection: { connectionString: postgresUrl } },
  { name: "Redis", url: redisUrl, connection: { redis: redisUrl } },
] as const;

/** Makes an engine with a queue of its own. */
export function freshEngine(options: BullMqEngineOptions): BullMqEngine {
  return new BullMqEngine({ queue: freshQueue(), ...options });
}

/** Returns the name of a queue that no other test has. */
function freshQueue(): string {
  return `test-${randomUUID()}`;
}
