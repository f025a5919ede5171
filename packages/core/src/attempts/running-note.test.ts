import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import type { RunRecord } from "../run-store/run-record.ts";
import type { RunStore } from "../run-store/run-store.ts";
import { RunningNote } from "./running-note.ts";

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

const record = { runId: "r", status: "queued", attempts: 0 } as RunRecord;
const fields = { attempts: 1, node: "n", startedAt: 1, plan: { tools: {} } };

function startNote() {
  const written = { ...record, ...fields, status: "running" as const };
  const change = vi.fn<RunStore["change"]>(async () => written);
  const running: RunStore["running"] = new Map();
  return {
    note: new RunningNote({ change, running } as unknown as RunStore, record, fields),
    change,
    running,
    written,
  };
}

it("is known to readers of this process at once, and in the record after 100 ms", async () => {
  const { note, change, running, written } = startNote();
  expect(running.get("r")).toBe(fields);
  await vi.advanceTimersByTimeAsync(99);
  expect(change).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);

  expect(change).toHaveBeenCalledOnce();
  expect(await note.known()).toBe(written);
  note.close();
  expect(running.size).toBe(0);
});

it.each(["known", "close"] as const)("is not written any more after %s", async (method) => {
  const { note, change } = startNote();
  await note[method]();
  await vi.advanceTimersByTimeAsync(1000);

  expect(change).not.toHaveBeenCalled();
});
