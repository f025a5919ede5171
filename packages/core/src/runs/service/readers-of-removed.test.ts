import { expect, it, vi } from "vitest";
import { logPrefix } from "../../agents/journal/log-entry.ts";
import { removeAll } from "../../sessions/session/remove-session.ts";
import type { RunRecord } from "../record/run-record.ts";
import { RemoteStorage } from "../../sessions/storage/test/remote-storage.ts";
import { fakeClock, makeService, request, scriptedAgent } from "./test/services.ts";

it("a reader that waits is told that its run is gone when another process has died while it removed the run, behind its log [durable.events]", async () => {
  fakeClock();
  const remote = new RemoteStorage();
  const service = makeService({ agents: { a: scriptedAgent([]) }, storage: remote.driver, now: () => Date.now() });
  const { runId } = await service.accept(request);
  let failure: unknown;
  service
    .events(runId, "host")
    .next()
    .catch((error: unknown) => (failure = error));
  await vi.advanceTimersByTimeAsync(1000);
  const record = (await remote.inner.get("runs", runId)) as unknown as RunRecord;
  await remote.inner.set("runs", runId, { ...record, status: "completed", endedAt: Date.now() } as never);
  await removeAll(remote.inner, "run-log", logPrefix(runId));
  await vi.advanceTimersByTimeAsync(25_000);

  expect(failure).toMatchObject({ code: "gone" });
});
