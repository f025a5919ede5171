import { check } from "@troupe-internal/testkit";
import type { Exchange, Operation, StorageDump } from "@troupe-internal/testkit";
import type { StorageDriver } from "@troupe/core";
import { openStorage } from "../processes/open-storage.ts";
import type { StorageAddress } from "../processes/open-storage.ts";
import type { ClientSession } from "./client.ts";

/** What a judgement is about: some sessions, all that was asked, and what the vendor has seen of them. */
export type Case = {
  sessions: readonly ClientSession[];
  operations: readonly Operation[];
  exchanges: readonly Exchange[];
};

/** Holds what is stored of some sessions against what their clients saw; a sentence for each promise that was broken. */
export async function judge(at: StorageAddress, { sessions, operations, exchanges }: Case): Promise<string[]> {
  const ids = new Set(sessions.map(({ sessionId }) => sessionId));
  const own = operations.filter(({ sessionId }) => ids.has(sessionId));
  const storage = await openStorage(at);
  try {
    const violations = check({ operations: own, exchanges, storage: await dumpSessions(storage, [...ids]) });
    return violations.map(({ invariant, message }) => `${invariant}: ${message}`);
  } finally {
    await storage.close();
  }
}

async function dumpSessions(storage: StorageDriver, ids: readonly string[]): Promise<StorageDump> {
  const dump = async (namespace: string, prefixOf: (id: string) => string) =>
    (await Promise.all(ids.map(async (id) => await storage.list(namespace, prefixOf(id))))).flat();
  return {
    sessions: await dump("sessions", (id) => `-/${id}`),
    turns: await dump("turns", (id) => `-/${id}/`),
    memory: await dump("memory", (id) => `-/${id}`),
    facts: [],
    tasks: [],
  };
}
