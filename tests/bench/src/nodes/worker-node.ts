import { spreadOf } from "../statistics.ts";
import { isWithin, machineTimeMs } from "./machine-time.ts";
import type { WorkerAnswer, WorkerOrder } from "./nodes-orders.ts";
import { answerOrders, openNode } from "./open-node.ts";
import { figuresOf } from "./timed-storage.ts";
import { readToken, sampleKey } from "./token.ts";

/** The process that performs all runs. */
const { runs, service, storage, model } = openNode("worker");

/** A log record, as far as it holds the tokens of a model. */
type ChunksRecord = { entries: { t: string; chunks?: { type: string; text: string }[] }[] };

/** Milliseconds in which all runs must end that were told to. */
const endMs = 60_000;

const stored: { givenMs: number; tookMs: number }[] = [];
/** The times at which the writes of sampled tokens began. */
const begun: [key: string, atMs: number][] = [];

storage.onInserted = (writes, startedMs) => {
  const nowMs = machineTimeMs();
  for (const { namespace, value } of writes) {
    if (namespace !== "run-log") continue;
    const chunks = (value as ChunksRecord).entries.flatMap((entry) => entry.chunks ?? []);
    for (const { type, text } of chunks) {
      const key = type === "text" ? sampleKey(text) : undefined;
      if (key === undefined) continue;
      const { givenMs } = readToken(text);
      stored.push({ givenMs, tookMs: nowMs - givenMs });
      begun.push([key, startedMs]);
    }
  }
};

const serving = await service.serve({ concurrency: runs });

answerOrders(async ({ end }: WorkerOrder) => {
  model.stop();
  await serving.drain(endMs);
  const within = stored.filter(({ givenMs }) => isWithin(givenMs, end));
  const times = Float64Array.from(within, ({ tookMs }) => tookMs);
  const writes = begun.filter(([, atMs]) => isWithin(atMs, end));
  return { stored: spreadOf(times), inserts: figuresOf(storage.inserts, end), writes } satisfies WorkerAnswer;
});
