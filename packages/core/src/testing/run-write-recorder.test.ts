import { describe, expect, it } from "vitest";
import type { Json } from "../sessions/storage/json.ts";
import { newRecord } from "../runs/record/test/run-records.ts";
import { toOpenRun } from "../runs/record/open-runs.ts";
import { RunWriteRecorder } from "./run-write-recorder.ts";

const record = newRecord({ runId: "r1", createdAt: 4 });
const waiting = { ...record, status: "waiting" } as const;
const open = { namespace: "run-open", key: "r1", value: toOpenRun(record, 5) };
const place = { namespace: "run-by", key: "-/ada/open/999999999999995.r1", value: { v: 1 } };
const stored = { namespace: "runs", key: "r1", value: record as unknown as Json };
const answer = { namespace: "run-inbox", key: "r1/t.0", value: { v: 1 } };

describe("RunWriteRecorder", () => {
  it("takes the writes of one commit in any order", () => {
    const recorder = new RunWriteRecorder();
    recorder.commit([stored, place, open]);
    expect(recorder.violations).toEqual([]);
    expect([...recorder.seen].toSorted()).toEqual(["accept.places", "accept.record"]);
  });

  it.each([
    ["the record before the open entry", [[stored], [open, place]], "accept.record"],
    ["a place before the open entry", [[place], [open, stored]], "accept.places"],
  ])("refuses writes of several commits in the wrong order: %s", (_what, commits, violation) => {
    const recorder = new RunWriteRecorder();
    for (const writes of commits) recorder.commit(writes);
    expect(recorder.violations).toContainEqual(expect.stringContaining(violation));
  });

  it("refuses an answer to a run that waits and is not among the open runs", () => {
    const recorder = new RunWriteRecorder();
    recorder.commit([open, place, stored]);
    recorder.commit([{ ...stored, value: waiting as unknown as Json }]);
    recorder.commit([{ ...open, value: null }]);
    recorder.commit([answer]);
    expect(recorder.violations).toContainEqual(expect.stringContaining("answer.answer"));
  });

  it("records a write of its storage in memory before the caller learns of it", async () => {
    const recorder = new RunWriteRecorder();
    const storage = recorder.memory();
    const late = storage.transaction([open, place]);
    const early = storage.compareAndSet("runs", "r1", null, stored.value);
    expect([...recorder.seen]).toEqual(["accept.places", "accept.record"]);
    expect([await late, await early]).toEqual([undefined, true]);

    expect(await storage.compareAndSet("runs", "r1", null, waiting as unknown as Json)).toBe(false);
    expect(recorder.violations).toEqual([]);
  });
});
