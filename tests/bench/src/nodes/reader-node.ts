import { withTimeout } from "@troupe/core/kit";
import { makeRuns } from "../durable/run-kinds.ts";
import { spreadOf } from "../statistics.ts";
import { machineTimeMs } from "./machine-time.ts";
import type { TimeSpan } from "./machine-time.ts";
import type { ReaderAnswer, ReaderOrder } from "./nodes-orders.ts";
import { answerOrders, openNode } from "./open-node.ts";
import { figuresOf } from "./timed-storage.ts";
import { sampleKey } from "./token.ts";
import { TokenTally } from "./token-tally.ts";

/** The process that accepts all runs and reads them, and performs none. */
const { runs, service, storage } = openNode("reader");

/** Milliseconds in which all runs must begin, and in which they must be read to their ends after they were stopped. */
const patienceMs = 120_000;

/** The number of runs that are accepted at a time. */
const acceptedAtOnce = 20;

const tally = new TokenTally();
/** The times at which sampled tokens were read. */
const reads: [key: string, atMs: number][] = [];
const readers: Promise<void>[] = [];
const allStarted = Promise.withResolvers<void>();

async function accept(): Promise<void> {
  const { runId } = await service.accept({ kind: "agent", name: "bench", input: "Tell me something." });
  const reader = read(runId);
  reader.catch(allStarted.reject);
  readers.push(reader);
}

async function read(runId: string): Promise<void> {
  for await (const event of service.events(runId, {})) {
    if (event.type === "chunk" && event.chunk.type === "text") {
      const { text = "" } = event.chunk as { text?: string };
      const nowMs = machineTimeMs();
      tally.take(runId, text, nowMs);
      const key = sampleKey(text);
      if (key !== undefined) reads.push([key, nowMs]);
      if (tally.startedRuns === runs) allStarted.resolve();
    } else if (event.type === "reset") tally.restart(runId);
    else if (event.type === "end") tally.end(runId, (event.output as { text?: string }).text ?? "");
  }
}

async function inTime(done: Promise<unknown>, what: string): Promise<void> {
  const onTimeout = (): never => {
    throw new Error(
      `Some runs ${what} after ${patienceMs / 1000} seconds: the load is too great, or the worker has ended.`,
    );
  };
  await withTimeout(done, { timeoutMs: patienceMs, onTimeout });
}

async function finish(span: TimeSpan): Promise<ReaderAnswer> {
  await inTime(Promise.all(readers), "have not ended");
  const { tookMs, sinceDueMs } = tally.given(span);
  return {
    tokens: tookMs.length,
    took: spreadOf(tookMs),
    sinceDue: spreadOf(sinceDueMs),
    faults: tally.faults,
    looks: figuresOf(storage.looks, span),
    reads,
  };
}

answerOrders(async (order: ReaderOrder) => {
  if ("end" in order) return await finish(order.end);
  await makeRuns(accept, runs, acceptedAtOnce);
  await inTime(allStarted.promise, "have no token");
  return {};
});
