import { describe, expect, it } from "vitest";
import { logKey, logRecord } from "../../agents/journal/log-entry.ts";
import type { LogEntry } from "../../agents/journal/log-entry.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";
import { findRun, isOver, mayReach, runsOfSession, withLoggedEnd } from "./find-runs.ts";
import type { RunReach } from "./find-runs.ts";
import type { RunRecord } from "./run-record.ts";
import { RunStore } from "./run-store.ts";
import type { RunCaller } from "./run-view.ts";
import { newRecord } from "./test/run-records.ts";

const ada = { tenantId: "t", userId: "ada" };
const recordOf = (given: Partial<RunRecord> = {}) => newRecord({ runId: "r1", createdAt: 4, owner: ada, ...given });

async function storeWith(...records: RunRecord[]): Promise<RunStore> {
  const store = new RunStore(new InMemoryStorage(), () => 100);
  for (const record of records) await store.insert(record);
  return store;
}

async function writeLog(store: RunStore, ...records: LogEntry[][]): Promise<void> {
  for (const [index, entries] of records.entries()) {
    await store.storage.set("run-log", logKey("r1", index + 1), logRecord(entries) as unknown as Json);
  }
}

describe("mayReach", () => {
  const claimed = { ...ada, verified: false };
  it.each<[caller: RunCaller, run: RunReach, mayReach: boolean]>([
    ["host", { owner: ada }, true],
    [ada, { owner: ada }, true],
    [{ ...ada, verified: true }, { owner: ada }, true],
    [claimed, { owner: ada }, false],
    [ada, { owner: claimed }, false],
    [claimed, { owner: claimed }, true],
    [{ ...ada, userId: "bob" }, { owner: ada }, false],
    [{ ...ada, tenantId: "u" }, { owner: ada }, false],
    [{ userId: "ada" }, { owner: ada }, false],
    [ada, { owner: { userId: "ada" } }, false],
    [{ tenantId: "t" }, { owner: ada }, false],
    [{ tenantId: "t" }, { owner: ada, isBearer: false }, false],
    [{ tenantId: "t" }, { owner: claimed, isBearer: true }, true],
    [{ tenantId: "u" }, { owner: claimed, isBearer: true }, false],
    [{}, { owner: claimed, isBearer: true }, false],
    [{ tenantId: "t", userId: "bob" }, { owner: claimed, isBearer: true }, false],
    [ada, { owner: claimed, isBearer: true }, false],
    [claimed, { owner: claimed, isBearer: true }, true],
    [ada, { owner: { tenantId: "t" } }, true],
    [{ tenantId: "t" }, { owner: { tenantId: "t" } }, true],
    [{}, { owner: { tenantId: "t" } }, false],
    [ada, { owner: {} }, false],
    [{}, { owner: {} }, true],
  ])("tells if %j reaches the run %j: %s", (caller, run, reaches) => {
    expect(mayReach(run, caller)).toBe(reaches);
  });

  it("refuses a caller that is no owner", () => {
    expect(() => mayReach({ owner: {} }, { userId: "" })).toThrow(expect.objectContaining({ code: "invalid_request" }));
  });
});

describe("findRun", () => {
  it.each<[what: string, runId: string, caller: RunCaller]>([
    ["that is not there", "r2", "host"],
    ["of another user", "r1", { ...ada, userId: "bob" }],
    ["whose time is over", "over", ada],
    ["with a key for an id", "r1/", "host"],
    ["with no id", "", "host"],
    ["with an id in other letters", "é", "host"],
  ])("finds no run %s, in the same words", async (_what, runId, caller) => {
    const store = await storeWith(recordOf(), recordOf({ runId: "over", expiresAt: 100 }));
    await expect(findRun({ store }, runId, caller)).rejects.toMatchObject({
      code: "not_found",
      message: `Run ${JSON.stringify(runId)} not found. It may have been removed, or belong to another user.`,
    });
  });

  it("finds a run of its caller until its time is over, and for the host after that", async () => {
    const records = [100, 101].map((expiresAt) => recordOf({ runId: `r${expiresAt}`, expiresAt }));
    const store = await storeWith(...records);
    expect(await findRun({ store }, "r101", ada)).toEqual(records[1]);
    expect(await findRun({ store }, "r100", "host")).toEqual(records[0]);
  });

  it("takes an id of 64 characters, and shows no more of a longer one", async () => {
    const store = await storeWith(...["x", "y"].map((x, index) => recordOf({ runId: x.repeat(64 + index) })));
    expect(await findRun({ store }, "x".repeat(64), ada)).toMatchObject({ runId: "x".repeat(64) });
    await expect(findRun({ store }, "y".repeat(65), "host")).rejects.toThrow(`Run "${"y".repeat(64)}" not found`);
  });

  it("checks a record that is known already as one that is read", async () => {
    const [store, known] = [await storeWith(), recordOf()];
    expect(await findRun({ store, known }, "r1", ada)).toBe(known);
    await expect(findRun({ store, known }, "r1", {})).rejects.toMatchObject({ code: "not_found" });
  });
});

const begun = (n: number, at?: number): LogEntry => {
  return { t: "attempt", n, id: `i${n}`, node: `n${n}`, print: "", ...(at !== undefined && { at }) };
};
const chunk: LogEntry = { t: "chunks", step: "", chunks: [] };
const end: LogEntry = { t: "end", output: { text: "Over." } };
const failed = (code: "cancelled" | "timeout"): LogEntry => ({ ...end, error: { code, message: "No." } });

describe("withLoggedEnd", () => {
  const waiting = recordOf({
    status: "waiting",
    attempts: 1,
    node: "n1",
    waits: [{ id: "t.0", kind: "input", about: 1 }],
  });
  const { waits: _waits, ...rest } = waiting;
  const ended = { ...rest, output: { text: "Over." }, endedAt: 500 };

  it.each<[what: string, log: LogEntry[][], shown: RunRecord]>([
    ["no log", [], waiting],
    ["nothing new", [[begun(1)], [chunk]], waiting],
    ["its end", [[begun(1, 7)], [chunk, end]], { ...ended, status: "completed", startedAt: 7 }],
    [
      "its failure",
      [[begun(1)], [failed("timeout")]],
      { ...ended, status: "error", error: { code: "timeout", message: "No." } },
    ],
    [
      "its cancel",
      [[failed("cancelled")]],
      { ...ended, status: "cancelled", error: { code: "cancelled", message: "No." } },
    ],
    [
      "two attempts and its end",
      [[begun(1, 7), begun(2, 9)], [end]],
      { ...ended, status: "completed", startedAt: 7, attempts: 2, node: "n2" },
    ],
    [
      "an attempt that begins behind other entries, and its end",
      [[chunk, begun(2, 9), chunk], [end]],
      { ...ended, status: "completed", startedAt: 9, attempts: 2, node: "n2" },
    ],
    ["a later attempt at the end", [[begun(1)], [begun(2), chunk]], { ...waiting, attempts: 2, node: "n2" }],
    ["two attempts in its last record", [[begun(2), begun(3)]], { ...waiting, attempts: 3, node: "n3" }],
    ["an end that is not the last", [[end, chunk]], waiting],
  ])("shows a run whose log has %s", async (_what, log, shown) => {
    const store = await storeWith();
    await writeLog(store, ...log);
    const before = structuredClone(waiting);
    expect(await withLoggedEnd(store, waiting, () => 500)).toStrictEqual(shown);
    expect(waiting).toEqual(before);
  });

  it("keeps what a record knows: its end, and the time of its beginning", async () => {
    const store = await storeWith();
    await writeLog(store, [begun(4, 7), end]);
    const over = recordOf({ status: "error", endedAt: 3 });
    expect(await withLoggedEnd(store, over, () => 500)).toBe(over);
    expect(await withLoggedEnd(store, { ...waiting, startedAt: 0 }, () => 500)).toMatchObject({
      startedAt: 0,
      attempts: 4,
    });
  });

  it.each<[log: LogEntry[], status: RunRecord["status"], isEnd: boolean]>([
    [[end], "running", true],
    [[chunk], "running", false],
    [[end, chunk], "waiting", false],
    [[], "queued", false],
    [[chunk], "cancelled", true],
  ])("isOver tells by the log %j of a run that is %s: %s", async (log, status, isEnd) => {
    const store = await storeWith();
    await writeLog(store, [chunk], log);
    expect(await isOver(store, recordOf({ status }))).toBe(isEnd);
  });
});

describe("runsOfSession", () => {
  const idsIn = async (store: RunStore, owner: SessionOwner = ada) => {
    return (await runsOfSession({ store, now: () => 500 }, "s", owner)).map(({ runId }) => runId);
  };

  it("has the open runs of the owner's session, newest first", async () => {
    const store = await storeWith(
      recordOf({ runId: "old", createdAt: 1, status: "waiting" }),
      recordOf({ runId: "new", createdAt: 9, status: "running" }),
      recordOf({ runId: "mid", createdAt: 5 }),
      recordOf({ runId: "ended", createdAt: 6, status: "completed" }),
      recordOf({ runId: "other", sessionId: "s2" }),
      recordOf({ runId: "bobs", owner: { ...ada, userId: "bob" } }),
      recordOf({ runId: "claimed", owner: { ...ada, verified: false } }),
    );
    await store.storage.set("run-by", "#session/t/ada/s/999999999999990/gone", { v: 1 });
    expect(await idsIn(store)).toEqual(["new", "mid", "old"]);
    expect(await idsIn(store, { ...ada, tenantId: "u" })).toEqual([]);
    await expect(idsIn(store, { userId: "" })).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("leaves out a run whose log has its end, though its record does not", async () => {
    const store = await storeWith(recordOf({ runId: "r1", status: "running" }));
    expect(await idsIn(store)).toEqual(["r1"]);
    await writeLog(store, [begun(1), end]);
    expect(await idsIn(store)).toEqual([]);
  });

  it.each([
    [49, ["open"]],
    [50, []],
  ])("looks for an open run behind %i newer ones: %j", async (count, found) => {
    const newer = Array.from({ length: count }, (_, at) =>
      recordOf({ runId: `r${at}`, createdAt: 10 + at, status: "error" }),
    );
    expect(await idsIn(await storeWith(recordOf({ runId: "open" }), ...newer))).toEqual(found);
  });
});
