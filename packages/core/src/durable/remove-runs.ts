import { withTimeout } from "../async/with-timeout.ts";
import { sleep } from "../async/sleep.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import type { Performing } from "../attempts/process-state.ts";
import type { ServiceParts } from "../attempts/service-parts.ts";
import { isEnded } from "../run-store/run-record.ts";
import type { RunRecord } from "../run-store/run-record.ts";
import type { RunStore } from "../run-store/run-store.ts";

/** The time that a run under way gets to end before its removal. */
const longestWaitMs = 10_000;

type Removal = {
  parts: ServiceParts;
  performing: ReadonlyMap<string, Performing>;
  cancel: (runId: string) => Promise<unknown>;
};

/** Removes a run with its log, its inbox and its places in listings. One that is not over is cancelled first. */
export async function removeRun({ parts, performing, cancel }: Removal, record: RunRecord): Promise<void> {
  const { runId } = record;
  let last: RunRecord | null = record;
  if (!isEnded(record.status)) {
    await cancel(runId);
    await withTimeout(performing.get(runId)?.done ?? Promise.resolve(), {
      timeoutMs: longestWaitMs,
      onTimeout: () => undefined,
    });
    last = await readEnded(parts.store, runId);
  }
  if (last === null) return;
  await parts.store.remove(last);
  parts.vault.forget(runId);
  parts.locals.delete(runId);
  parts.admission?.remove(runId);
  parts.tails.fail(runId, new TroupeError("gone", "The run was removed."));
}

/** Waits until a run is over, which another process performs. Its log must not be removed before: that keeps attempts apart. */
async function readEnded(store: RunStore, runId: string): Promise<RunRecord | null> {
  for (let waitedMs = 0; ; waitedMs += 100) {
    const record = await store.read(runId);
    if (record === null || isEnded(record.status)) return record;
    if (waitedMs >= longestWaitMs) {
      throw new TroupeError("conflict", "The run is being cancelled by another process. Remove it again in a moment.");
    }
    await sleep(100);
  }
}

/** Removes all runs listed below a prefix. When it rejects, some may be left: the first failure, after all were tried. */
export async function removeRuns(
  store: RunStore,
  prefix: string,
  remove: (record: RunRecord) => Promise<void>,
): Promise<void> {
  const runIds: string[] = [];
  for await (const page of store.listIds(prefix)) runIds.push(...page);
  const results = [];
  for (const runId of runIds) {
    const record = await store.read(runId);
    if (record !== null) results.push(...(await Promise.allSettled([remove(record)])));
  }
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
