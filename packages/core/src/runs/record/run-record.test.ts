import { describe, expect, it } from "vitest";
import type { Json } from "../../sessions/storage/json.ts";
import { ownerKey } from "../../sessions/storage/owner-key.ts";
import { byKeys, groupKeys, isOfEnd, placeOf, runIdOf, timeOf } from "./run-keys.ts";
import { callerOfOpen, readOpenRun } from "./open-runs.ts";
import { callerOf, isEnded, readRunRecord, tagsOf, toView } from "./run-record.ts";
import type { RunRecord } from "./run-record.ts";
import { newRecord } from "./test/run-records.ts";

/** Returns a value as a storage has it. */
const asStored = (value: object): Json => JSON.parse(JSON.stringify(value)) as Json;

const record = newRecord({ runId: "r1", createdAt: 4 });
const wait = { id: "t.0", kind: "approval", about: null } as const;
const shown = { runId: "r1", kind: "agent", name: "a", sessionId: "s", status: "queued", createdAt: 4, attempts: 0 };

describe("toView", () => {
  const error = { code: "timeout", message: "Late." } as const;
  it.each<[given: Partial<RunRecord>, more: object]>([
    [{}, {}],
    [
      { startedAt: 0, node: "n", note: null, output: null },
      { startedAt: 0, node: "n", note: null, output: null },
    ],
    [
      { status: "waiting", waits: [wait] },
      { status: "waiting", waits: [wait] },
    ],
    [
      { status: "waiting", waits: [] },
      { status: "waiting", waits: [] },
    ],
    [
      { status: "running", waits: [wait], attempts: 2 },
      { status: "running", attempts: 2 },
    ],
    [
      { status: "error", error, endedAt: 10 },
      { status: "error", error, endedAt: 10, expiresAt: 1010 },
    ],
    [{ expiresAt: 7 }, { expiresAt: 7 }],
    [
      { status: "completed", endedAt: 0, expiresAt: 7 },
      { status: "completed", endedAt: 0, expiresAt: 7 },
    ],
    [
      { status: "completed", endedAt: 0, expiresAt: 2000 },
      { status: "completed", endedAt: 0, expiresAt: 1000 },
    ],
    [{ keys: "sealed", fingerprint: "f", input: "x", anonymous: "#a", waitsUntil: 5, isBearer: true }, {}],
  ])("shows of a record with %j no more than its owner may see", (given, more) => {
    expect(toView({ ...record, ...given }, 1000)).toStrictEqual({ ...shown, ...more });
  });
});

describe("a stored record of a run", () => {
  it("is read with the fields of a later release, and none is null", () => {
    const stored = asStored({ ...record, later: 1 });
    expect(readRunRecord(stored, "r1")).toBe(stored);
    expect(readRunRecord(null, "r1")).toBeNull();
  });

  it.each([
    { v: 0 },
    { v: "1" },
    { runId: 1 },
    { kind: undefined },
    { name: null },
    { sessionId: [] },
    { owner: "ada" },
    { owner: [] },
    { options: null },
    { plan: undefined },
    { status: "constructor" },
    { activation: -1 },
    { activation: 1.5 },
    { attempts: "0" },
    { createdAt: Number.NaN },
    { createdAt: "4" },
  ])("is damaged with %j", (change) => {
    const read = () => readRunRecord(asStored({ ...record, ...change }), "r1");
    const fields = { namespace: "runs", key: "r1" };
    expect(read).toThrow(expect.objectContaining({ code: "storage_corrupt", fields }));
  });

  it.each([["queued"], ["running"], ["waiting"], ["completed"], ["error"], ["cancelled"]] as const)(
    "may be %s, and is over with three statuses",
    (status) => {
      expect(readRunRecord(asStored({ ...record, status }), "r1")).toMatchObject({ status });
      expect(isEnded(status)).toBe(["completed", "error", "cancelled"].includes(status));
    },
  );
});

describe("a stored entry of an open run", () => {
  const open = { v: 1, submittedAt: 0, activation: 1, priority: 10, owner: "-/ada" };
  it.each([{}, { submittedAt: -1.5, later: 1 }])("is read as it is with %j", (change) => {
    const stored = { ...open, ...change };
    expect(readOpenRun(stored, "r1")).toBe(stored);
  });

  it.each([
    { v: 0 },
    { submittedAt: "0" },
    { submittedAt: Infinity },
    { activation: -1 },
    { owner: undefined },
    { owner: { userId: "ada" } },
  ])("is damaged with %j", (change) => {
    const read = () => readOpenRun(asStored({ ...open, ...change }), "r1");
    const fields = { namespace: "run-open", key: "r1" };
    expect(read).toThrow(expect.objectContaining({ code: "storage_corrupt", fields }));
  });
});

describe("the keys of the lists of runs", () => {
  const owner = { tenantId: "t", userId: "#é" };
  const caller = callerOf({ owner: {}, anonymous: "#/a" });
  it.each([
    [byKeys.group(ownerKey(owner), "open"), "t/%23%C3%A9/open/"],
    [byKeys.sessionsOf(owner), "#session/t/%23%C3%A9/"],
    [byKeys.session(owner, "a/b"), "#session/t/%23%C3%A9/a%2Fb/"],
    [byKeys.ofSession({ ...record, owner }), "#session/t/%23%C3%A9/s/999999999999995/r1"],
    [byKeys.inSession("t/u/s", { createdAt: 0, runId: "r/1" }), "#session/t/u/s/999999999999999/r%2F1"],
    [byKeys.ofAll({ createdAt: 4, runId: "r/1" }), "#all/999999999999995.r%2F1"],
    [byKeys.openOf(caller), "#anonymous/%23%2Fa/"],
    [byKeys.openOf(callerOf({ owner })), "t/%23%C3%A9/open/"],
    [byKeys.ofAnonymous(caller, "r1"), "#anonymous/%23%2Fa/r1"],
    [byKeys.ofEnded(1.9, "r1"), "#ended/000000000000001/r1"],
    [byKeys.ofBare(1_700_000_000_000, "r1"), "#bare/001700000000000/r1"],
    [byKeys.ofExpiring(20, "r1"), "#expires/000000000000020/r1"],
    [placeOf({ createdAt: 4.7, runId: "r.1" }), "999999999999994.r.1"],
  ])("are written so that they sort: %s", (key, written) => {
    expect(key).toBe(written);
  });

  it.each<[key: string, runId: string]>([
    ["-/ada/open/999999999999995.r.1", "r.1"],
    ["-/ada/open/999999999999995.r%2F1", "r/1"],
    ["#session/-/-/s/999999999999995/r%2F1", "r/1"],
    ["#ended/000000000000001/99999999999999.r", "99999999999999.r"],
    ["r1", "r1"],
  ])("end with the run: %s", (key, runId) => {
    expect(runIdOf(key)).toBe(runId);
  });

  it.each<[key: string, isEnd: boolean]>([
    ["-/ada/completed/1.r", true],
    ["-/ada/error/1.r", true],
    ["t/ada/cancelled/1.r", true],
    ["-/ada/open/1.r", false],
    ["-/completed/open/1.r", false],
    ["#ended/000000000000001/r", false],
    ["#session/-/-/completed/r", false],
  ])("tell if a run has ended: %s", (key, isEnd) => {
    expect(isOfEnd(key)).toBe(isEnd);
  });

  it("tell the time of an end", () => {
    expect(["#ended/001700000000000/9", "#bare/000000000000000/9"].map(timeOf)).toEqual([1_700_000_000_000, 0]);
  });

  it("the keys of the lists of runs of groups are none without a user, and in the given order", () => {
    expect(groupKeys({ ...record, owner: { tenantId: "t" } }, ["open"])).toEqual([]);
    expect(groupKeys({ ...record, owner: { userId: "ada", verified: false } }, ["error", "open"])).toEqual([
      "-/~ada/error/999999999999995.r1",
      "-/~ada/open/999999999999995.r1",
    ]);
  });
});

describe("the keys of the runs of a session", () => {
  it.each([
    [{ userId: "ada" }, "-/ada"],
    [{ userId: "ada", verified: true }, "-/ada"],
    [{ userId: "ada", verified: false }, "-/~ada"],
    [{ tenantId: "t", userId: "ada", verified: false }, "t/~ada"],
    [{ tenantId: "t" }, "t/-"],
    [{}, "-/-"],
  ])("name its owner %j as %s", (owner, named) => {
    expect(byKeys.session(owner, "s ä")).toBe(`#session/${named}/s%20%C3%A4/`);
    expect(byKeys.sessionsOf(owner)).toBe(`#session/${named}/`);
    const of = byKeys.ofSession({ ...record, owner, sessionId: "s" });
    expect(of.startsWith(byKeys.session(owner, "s"))).toBe(true);
  });
});

describe("the caller of a run", () => {
  const user = { kind: "user", key: "t/ada" };
  const [host, unknown] = [
    { kind: "host", key: "#host" },
    { kind: "anonymous", key: "#" },
  ];
  it.each([
    [{ tenantId: "t", userId: "ada" }, undefined, user, user],
    [{ tenantId: "t", userId: "ada" }, "#a", { kind: "anonymous", key: "#a" }, { kind: "anonymous", key: "#a" }],
    [{ userId: "ada", verified: false }, undefined, unknown, unknown],
    [{ tenantId: "t" }, undefined, host, host],
    [{}, "#", unknown, unknown],
  ])(
    "the caller of a run of %j, counted as %j, is the same by the record and by the entry",
    (owner, anonymous, ...callers) => {
      const given = anonymous === undefined ? {} : { anonymous };
      expect([callerOf({ owner, ...given }), callerOfOpen({ owner: ownerKey(owner), ...given })]).toEqual(callers);
    },
  );
});

it.each<[unknown, string[] | undefined]>([
  [
    ["beta", "é", "beta", "", 1, "x".repeat(65)],
    ["beta", "é"],
  ],
  [Array.from({ length: 25 }, (_, at) => `t${at}`), Array.from({ length: 20 }, (_, at) => `t${at}`)],
  [[], undefined],
  [[1], undefined],
  ["beta", undefined],
  [undefined, undefined],
])("the tags in metadata with %j are %j", (tags, expected) => {
  expect(tagsOf({ tags })).toEqual(expected);
});
