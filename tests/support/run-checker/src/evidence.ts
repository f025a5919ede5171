import type { StorageDriver } from "@troupe/core";
import type { StorageEntry } from "@troupe/core/storage";
import { readSse } from "@troupe/core/provider";
import type { Exchange } from "@troupe-internal/vendor-fakes";
import type { Operation, SeenResponse } from "./operation-log.ts";
import type { Probe } from "./probe.ts";

/** Everything that a test records for the checker. Invariants without their evidence are not judged: see `unjudged`. */
export type Evidence = {
  operations: readonly Operation[];
  /** Requests that the fake vendor received. */
  exchanges: readonly Exchange[];
  storage: StorageDump;
  observations?: readonly Observation[];
  processes?: readonly ProbedProcess[];
  declared?: DeclaredResponses;
  /** Responses to requests that run nothing. Responses of runs are in the operations. */
  responses?: readonly SeenResponse[];
  streams?: readonly RecordedStream[];
  emitted?: readonly Emitted[];
  /** Keys that must not appear in anything that the service emits. */
  canaries?: readonly string[];
  memory?: readonly MemoryRecord[];
};

/** A promise of the service, and the check that finds violations of it. */
export type Invariant = {
  promise: string;
  /** Evidence without which the invariant cannot be judged. */
  needs: readonly (keyof Evidence)[];
  /** Yields a sentence for each violation. */
  readonly violations: (evidence: Evidence) => Iterable<string>;
};

/** All records of a storage that belong to a session, a user or a task. */
export type StorageDump = Readonly<
  Record<"sessions" | "turns" | "memory" | "facts" | "tasks", readonly StorageEntry[]>
>;

/** Data that belongs to one session: an event, a span, a cache entry. */
type Observation = { sessionId: string; tenantId?: string; place: string; text: string };

/** Probes of one process before and after a test. */
export type ProbedProcess = {
  name: string;
  before: Probe;
  /** The probe after the load: see `settled`. */
  after: Probe;
  /** True if the test killed the process, so that its pid may have changed. */
  killed?: boolean;
};

/** For each route and each status that it declares, a check of the body's form. */
export type DeclaredResponses = Readonly<Record<string, Readonly<Record<number, (body: unknown) => boolean>>>>;

/** A stream as a client read it: the data of each event, and whether the stream ended or broke off. */
export type RecordedStream = { name: string; chunks: readonly unknown[]; end: "closed" | "aborted" };

/** Bytes that the service emitted, in the pieces in which they arrived. */
export type Emitted = { place: string; chunks: readonly (Uint8Array | string)[] };

/** Limits of the memory of a process. A missing limit is not checked. */
type MemoryBudget = {
  rssBytes?: number;
  rssRiseBytes?: number;
  heapRiseBytes?: number;
  /** Largest slope of a line fitted to the heap after the warm-up. */
  heapBytesPerRequest?: number;
  /** Requests before the heap is measured. @default 0 */
  warmUpRequests?: number;
};

/** Memory of a process over a test. The heap is best sampled after a garbage collection. */
export type MemoryRecord = {
  name: string;
  budget: MemoryBudget;
  samples: readonly { requests: number; rssBytes: number; heapBytes: number }[];
};

/** Reads the records of a storage for the checker. */
export async function dumpStorage(storage: StorageDriver): Promise<StorageDump> {
  return {
    sessions: await storage.list("sessions"),
    turns: await storage.list("turns"),
    memory: await storage.list("memory"),
    facts: await storage.list("facts"),
    tasks: await storage.list("tasks"),
  };
}

/** Reads a stream of server-sent events to its end, and records whether it ended or broke off. */
export async function recordSse(name: string, bytes: AsyncIterable<Uint8Array>): Promise<RecordedStream> {
  const chunks: unknown[] = [];
  try {
    for await (const { data } of readSse(bytes)) chunks.push(parseData(data));
    return { name, chunks, end: "closed" };
  } catch {
    return { name, chunks, end: "aborted" };
  }
}

/** Returns data that is not JSON as a string, which no chunk is. */
function parseData(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}
