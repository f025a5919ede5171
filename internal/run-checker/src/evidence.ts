import type { Exchange } from "@troupe-internal/vendor-fakes";
import type { Operation, SeenResponse } from "./operation-log.ts";
import type { Probe } from "./probe.ts";
import type { StorageDump } from "./storage-dump.ts";

/** What one process was before a test and after it. */
export type ProbedProcess = {
  name: string;
  before: Probe;
  /** Taken when the load is over: see `settled`. */
  after: Probe;
  /** The test killed it: another pid is what was wanted. */
  killed?: boolean;
};

/** What a process may take while it works; a bound that is not given does not hold. */
type MemoryBudget = {
  rssBytes?: number;
  rssRiseBytes?: number;
  heapRiseBytes?: number;
  /** The slope of a straight line through the heap of the samples behind the warm-up. */
  heapBytesPerRequest?: number;
  /** @default 0 */
  warmUpRequests?: number;
};

/** Memory over a test. Heap is best measured after a collection. */
export type MemoryRecord = {
  name: string;
  budget: MemoryBudget;
  samples: readonly { requests: number; rssBytes: number; heapBytes: number }[];
};

/** A stream as a client read it: each event's data, and whether it was ended or broke off. */
export type RecordedStream = { name: string; chunks: readonly unknown[]; end: "closed" | "aborted" };

/** Bytes that the service let out somewhere, in the pieces in which they came. */
export type Emitted = { place: string; chunks: readonly (Uint8Array | string)[] };

/** Something else that belongs to one session: an event, a span, an entry of a cache. */
type Observation = { sessionId: string; tenantId?: string; place: string; text: string };

/** For each route, for each status that it declares, whether a body has the declared form. */
export type DeclaredResponses = Readonly<Record<string, Readonly<Record<number, (body: unknown) => boolean>>>>;

/** All that a test leaves for the checker. What is missing is not judged: see `unjudged`. */
export type Evidence = {
  operations: readonly Operation[];
  /** The vendor's record. */
  exchanges: readonly Exchange[];
  storage: StorageDump;
  observations?: readonly Observation[];
  processes?: readonly ProbedProcess[];
  declared?: DeclaredResponses;
  /** Answers to requests that are no turns; those of turns stand in the log. */
  responses?: readonly SeenResponse[];
  streams?: readonly RecordedStream[];
  emitted?: readonly Emitted[];
  /** Keys that must not turn up in anything that the service lets out. */
  canaries?: readonly string[];
  memory?: readonly MemoryRecord[];
};

/** A promise of the service, and how to find where it was broken. */
export type Invariant = {
  promise: string;
  /** Without these it cannot be judged. */
  needs: readonly (keyof Evidence)[];
  /** One sentence for each breach. */
  readonly breaches: (evidence: Evidence) => Iterable<string>;
};
