import type { RunRecord } from "../../record/run-record.ts";
import { InMemoryStorage } from "../../../sessions/storage/in-memory-storage.ts";
import { createLogger } from "../../../base/log/logger.ts";
import { readServiceOptions } from "../run-service-options.ts";
import type { RunServiceOptions } from "../run-service-options.ts";
import { makeServiceParts } from "../service-parts.ts";

/** The time of these services. */
export const now = 1_000_000;

/** Makes the parts of a service over storage in memory, and collects what it logs. */
export function partsOf(options: RunServiceOptions = {}, { isAlone = true, storage = new InMemoryStorage() } = {}) {
  const lines: string[] = [];
  const logger = createLogger({ level: "debug", color: false, write: (line) => void lines.push(line) });
  const settings = readServiceOptions({ logger, now: () => now, node: "here", ...options, storage });
  return { parts: makeServiceParts(settings, { storage, isAlone }), storage, lines };
}

/** The record of a run of the agent `a` of the user Ada. */
export const record: RunRecord = {
  v: 1,
  runId: "r",
  kind: "agent",
  name: "a",
  owner: { userId: "ada" },
  sessionId: "s",
  input: "Hello.",
  options: {},
  createdAt: 1,
  priority: 10,
  activation: 1,
  status: "queued",
  attempts: 0,
  plan: { tools: {} },
};
