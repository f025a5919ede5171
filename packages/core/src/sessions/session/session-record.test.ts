import { describe, expect, it } from "vitest";
import { OrderingClock } from "../lock/ordering-clock.ts";
import { newSessionRecord, readSessionRecord, recencyOf, toSessionInfo } from "./session-record.ts";

const record = { v: 1, owner: {}, createdAt: 1, updatedAt: 2, turns: 0 } as const;
const at = { namespace: "sessions", key: "-/-/s" };

describe("a stored session", () => {
  it.each([
    [record],
    [{ ...record, owner: { userId: "é", tenantId: "t", verified: false } }],
    [{ ...record, recency: 0, removed: 0, cut: { from: 1, through: 1 }, title: "", titleBy: "x", waiting: "r" }],
    [{ ...record, isDeleted: true, isUnfinished: true, forked: 0, from: { sessionId: "é", seq: 1, isLeft: true } }],
    [{ ...record, unknown: [1] }],
  ])("is read as it is: %j", (value) => {
    expect(readSessionRecord(value, at)).toEqual(value);
  });

  it.each([
    [null],
    [{ ...record, v: 2 }],
    [{ ...record, owner: undefined }],
    [{ ...record, owner: { userId: 1 } }],
    [{ ...record, owner: { tenantId: 1 } }],
    [{ ...record, owner: { verified: "yes" } }],
    [{ ...record, createdAt: "1" }],
    [{ ...record, updatedAt: Infinity }],
    [{ ...record, turns: -1 }],
    [{ ...record, turns: 0.5 }],
    [{ ...record, recency: -1 }],
    [{ ...record, removed: "1" }],
    [{ ...record, cut: { from: 1 } }],
    [{ ...record, title: null }],
    [{ ...record, titleBy: 1 }],
    [{ ...record, waiting: true }],
    [{ ...record, isDeleted: false }],
    [{ ...record, isUnfinished: 1 }],
    [{ ...record, forked: "1" }],
    [{ ...record, from: "s" }],
    [{ ...record, from: { sessionId: 1, seq: 1 } }],
    [{ ...record, from: { sessionId: "s", seq: -1 } }],
    [{ ...record, from: { sessionId: "s", seq: 1, isLeft: false } }],
  ])("is damaged: %j", (value) => {
    expect(() => readSessionRecord(value, at)).toThrow(expect.objectContaining({ code: "storage_corrupt" }));
  });

  it("is described by what its owner may know, with the turns that are left", () => {
    const whole = { ...record, owner: { userId: "é", tenantId: "t" }, title: "", turns: 5, removed: 2, waiting: "r" };
    const info = { sessionId: "s", userId: "é", title: "", createdAt: 1, updatedAt: 2, turns: 3 };
    expect(toSessionInfo("s", whole)).toStrictEqual(info);
    expect(toSessionInfo("s", record)).toStrictEqual({ sessionId: "s", createdAt: 1, updatedAt: 2, turns: 0 });
    expect(toSessionInfo("s", { ...record, removed: 1 }).turns).toBe(0);
  });

  it("has the place of its last change in the list of its owner, if it was stored before there were places", () => {
    expect(recencyOf(record)).toBe(2000);
    expect(recencyOf({ ...record, recency: 0 })).toBe(0);
  });

  it("begins now, without turns, behind all sessions before it", () => {
    const clock = new OrderingClock();
    const before = clock.next();
    const { recency, createdAt, ...rest } = newSessionRecord({ userId: "é" }, clock);
    expect(recency).toBeGreaterThan(before);
    expect(rest).toStrictEqual({ v: 1, owner: { userId: "é" }, updatedAt: createdAt, turns: 0 });
  });
});
