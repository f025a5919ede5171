export { BullMqEngine } from "./bullmq-engine.ts";
export type { BullMqEngineOptions, PostgresPool, RedisClient } from "./bullmq-options.ts";
