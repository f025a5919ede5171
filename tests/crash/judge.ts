import { check } from "@troupe-internal/run-checker";
import type { Operation, StorageDump } from "@troupe-internal/run-checker";
import type { Exchange } from "@troupe-internal/vendor-fakes";
import type { StorageDriver } from "@troupe/core";
import type { StorageEntry } from "@troupe/core/storage";
import { openStorage } from "../processes/open-storage.ts";
import type { StorageAddress } from "../processes/open-storage.ts";
import type { ClientSession } from "./client.ts";

/** Evidence about some sessions: all questions, and the exchanges with the vendor. */
export type Case = {
  sessions: readonly ClientSession[];
  operations: readonly Operation[];
  exchanges: readonly Exchange[];
};

/** Compares the stored sessions with what their clients saw. Returns a sentence for each broken promise. */
export async function judge(at: StorageAddress, { sessions, operations, exchanges }: Case): Promise<string[]> {
  const ids = new Set(sessions.map(({ sessionId }) => sessionId));
  const own = operations.filter(({ sessionId }) => ids.has(sessionId));
  const storage = await openStorage(at);
  try {
    const violations = check({ operations: own, exchanges, storage: await dumpSessions(storage, at, ids) });
    return violations.map(({ invariant, message }) => `${invariant}: ${message}`);
  } finally {
    await storage.close();
  }
}

/** Reads the stored sessions. SecantusDB scans a whole namespace for any part of it, so it is read at once there. */
async function dumpSessions(
  storage: StorageDriver,
  { kind }: StorageAddress,
  ids: ReadonlySet<string>,
): Promise<StorageDump> {
  const dump = kind === "mongodb" ? dumpAtOnce : dumpOneByOne;
  const [sessions, turns, memory] = [
    await dump(storage, "sessions", ids),
    await dump(storage, "turns", ids),
    await dump(storage, "memory", ids),
  ];
  return { sessions, turns, memory, facts: [], tasks: [] };
}

async function dumpAtOnce(storage: StorageDriver, namespace: string, ids: ReadonlySet<string>) {
  const entries = await storage.list(namespace, "-/-/");
  return entries.filter(({ key }) => ids.has(key.split("/")[2] ?? ""));
}

async function dumpOneByOne(storage: StorageDriver, namespace: string, ids: ReadonlySet<string>) {
  const entries: StorageEntry[] = [];
  for (const id of ids) {
    const found = await storage.list(namespace, `-/-/${id}`);
    entries.push(...found.filter(({ key }) => key.split("/")[2] === id));
  }
  return entries;
}
