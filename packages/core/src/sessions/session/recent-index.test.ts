import { describe, expect, it } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { toldCalls } from "../storage/test/told-calls.ts";
import {
  indexWrites,
  moveInIndex,
  parseSessionCursor,
  readRecentKey,
  recentKey,
  toSessionCursor,
} from "./recent-index.ts";
import { sessionRef } from "./session-keys.ts";
import type { SessionRecord } from "./session-record.ts";

const owner = { tenantId: "acme", userId: "ada" };
const record = (recency: number | undefined, updatedAt = 5): SessionRecord => ({
  v: 1,
  owner,
  createdAt: 1,
  updatedAt,
  turns: 0,
  ...(recency !== undefined && { recency }),
});

describe("the key of a place in the list", () => {
  it.each([
    [0, "acme/ada/9000000000000000/s"],
    [1, "acme/ada/8999999999999999/s"],
    [1_700_000_000_000_000, "acme/ada/7300000000000000/s"],
    [8_999_999_999_999_999, "acme/ada/0000000000000001/s"],
    [9_000_000_000_000_000, "acme/ada/0000000000000000/s"],
  ])("the key of a place in the list of the recency %d is %s, and is read again", (recency, key) => {
    expect(recentKey(owner, { sessionId: "s", recency })).toBe(key);
    expect(readRecentKey(owner, key)).toEqual({ sessionId: "s", recency });
  });

  it("has the session's id encoded, and sorts the newest first", () => {
    const key = recentKey({ userId: "a/b", verified: false }, { sessionId: "s#m", recency: 0 });
    expect(key).toBe("-/~a%2Fb/9000000000000000/s%23m");
    expect(readRecentKey({ userId: "a/b", verified: false }, key)).toEqual({ sessionId: "s#m", recency: 0 });
    const keys = [3, 1, 2].map((recency) => recentKey(owner, { sessionId: "s", recency }));
    expect(keys.toSorted()).toEqual([keys[0], keys[2], keys[1]]);
  });

  it("stays at the front for a recency behind the end of time", () => {
    expect(recentKey(owner, { sessionId: "s", recency: 9_000_000_000_000_001 })).toBe("acme/ada/0000000000000000/s");
  });
});

describe("the cursor of a page of the list", () => {
  it.each([
    [{ sessionId: "s", recency: 0 }, "0~s"],
    [{ sessionId: "a~b", recency: 12 }, "12~a~b"],
    [{ sessionId: "s:1", recency: 1_700_000_000_000_000 }, "1700000000000000~s:1"],
  ])("the cursor of a page of the list of %j is %s, and is read again", (place, cursor) => {
    expect(toSessionCursor(place)).toBe(cursor);
    expect(parseSessionCursor(cursor)).toStrictEqual(place);
  });

  it.each(["", "s", "~s", "1~", "-1~s", "1.5~s", "12345678901234567~s", "x1~s", " 1~s", "١~s"])(
    "is nothing when it is %j",
    (cursor) => {
      expect(parseSessionCursor(cursor)).toBeUndefined();
    },
  );
});

describe("the writes that move a session in the list", () => {
  const ref = sessionRef(owner, "s");
  const namespace = "session-recent";
  const added = (key: string) => ({ namespace, key, value: { v: 1 } });
  const dropped = (key: string) => ({ namespace, key, value: null });
  const [first, second] = ["acme/ada/8999999999999999/s", "acme/ada/8999999999999998/s"];

  it("add the new place before they drop the old one", () => {
    expect(indexWrites(ref, null, record(1))).toEqual([added(first)]);
    expect(indexWrites(ref, record(1), record(2))).toEqual([added(second), dropped(first)]);
    expect(indexWrites(ref, record(2), null)).toEqual([dropped(second)]);
  });

  it("are none where the place stays, or there is none", () => {
    expect(indexWrites(ref, record(1), { ...record(1), title: "New" })).toEqual([]);
    expect(indexWrites(ref, null, null)).toEqual([]);
  });

  it("take the time of the last change where a record has no recency", () => {
    expect(indexWrites(ref, null, record(undefined, 5))).toEqual([added("acme/ada/8999999999995000/s")]);
    expect(indexWrites(ref, record(undefined, 5), record(5000))).toEqual([]);
  });

  it.each([
    ["without a user", sessionRef({}, "s")],
    ["of a tenant without a user", sessionRef({ tenantId: "acme" }, "s")],
    ["of a team's member", sessionRef(owner, "s#member")],
    ["of a team's member in one run", sessionRef(owner, "s/r#member")],
  ])("are none for a session %s", (_title, other) => {
    expect(indexWrites(other, null, record(1))).toEqual([]);
    expect(indexWrites(other, record(1), record(2))).toEqual([]);
  });

  it("stand under the owner of the reference, also one that is not verified", () => {
    const claimed = sessionRef({ userId: "ada", verified: false }, "s");
    expect(indexWrites(claimed, null, record(1))).toEqual([added("-/~ada/8999999999999999/s")]);
  });

  it("are applied in one step, and a failure of them is ignored", async () => {
    const { driver, calls } = toldCalls(new InMemoryStorage());
    await moveInIndex(driver, ref, { before: record(1), after: record(2) });
    expect(calls).toEqual([`transaction +${namespace} ${second}, -${namespace} ${first}`]);
    expect(await driver.list(namespace)).toEqual([{ key: second, value: { v: 1 } }]);

    const down = toldCalls(new InMemoryStorage(), () => "fail-before");
    await expect(moveInIndex(down.driver, ref, { before: record(1), after: record(2) })).resolves.toBeUndefined();
    expect(down.calls).toHaveLength(1);
  });
});
