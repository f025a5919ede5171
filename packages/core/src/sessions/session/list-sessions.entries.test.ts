import { describe, expect, it, onTestFinished, vi } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import type { Json } from "../storage/json.ts";
import { toldCalls } from "../storage/test/told-calls.ts";
import { listSessions, ownSessions } from "./list-sessions.ts";
import { parseSessionCursor, recentKey } from "./recent-index.ts";
import { namespaces, sessionKey } from "./session-keys.ts";
import type { SessionRecord } from "./session-record.ts";

const owner = { tenantId: "acme", userId: "ada" };
// Half a day ago, in milliseconds, so that no entry counts as left behind by its age.
const begun = Date.now() - 12 * 3_600_000;
const recency = (minute: number) => (begun + minute * 60_000) * 1000;
const keyOf = (sessionId: string, minute: number) => recentKey(owner, { sessionId, recency: recency(minute) });

type Kept = { id: string; minute: number; entries?: readonly number[]; title?: string };

/** A storage with sessions, each changed at a minute, and their entries in the index: by default the right one. */
async function storing(sessions: readonly Kept[]): Promise<InMemoryStorage> {
  const storage = new InMemoryStorage();
  for (const { id, minute, entries = [minute], title } of sessions) {
    const record: SessionRecord = {
      v: 1,
      owner,
      createdAt: begun,
      updatedAt: begun + minute * 60_000,
      recency: recency(minute),
      turns: 1,
      ...(title !== undefined && { title }),
    };
    await storage.set(namespaces.sessions, sessionKey(owner, id), record as unknown as Json);
    for (const each of entries) await storage.set(namespaces.recent, keyOf(id, each), { v: 1 });
  }
  return storage;
}

/** Lists all pages of sessions, as ids and the minutes of their last change. */
async function pagesOf(drivers: readonly InMemoryStorage[], limit: number) {
  const pages: (readonly [id: string, minute: number])[][] = [];
  let next: string | undefined;
  do {
    const after = next === undefined ? undefined : parseSessionCursor(next);
    const page = await listSessions(drivers, { owner, limit, after });
    pages.push(page.sessions.map(({ sessionId, updatedAt }) => [sessionId, (updatedAt - begun) / 60_000] as const));
    next = page.next;
  } while (next !== undefined);
  return pages;
}

const entriesOf = async (storage: InMemoryStorage) => (await storage.list(namespaces.recent)).map(({ key }) => key);

describe("the pages of a user's sessions", () => {
  const four = ["a", "b", "c", "d"].map((id, minute) => ({ id, minute }));

  it.each([
    [1, [["d"], ["c"], ["b"], ["a"]]],
    [
      2,
      [
        ["d", "c"],
        ["b", "a"],
      ],
    ],
    [3, [["d", "c", "b"], ["a"]]],
    [4, [["d", "c", "b", "a"]]],
    [5, [["d", "c", "b", "a"]]],
  ])(
    "the pages of a user's sessions of %d have each session once, newest first, and no empty page at the end",
    async (limit, expected) => {
      const pages = await pagesOf([await storing(four)], limit);
      expect(pages.map((page) => page.map(([id]) => id))).toEqual(expected);
    },
  );

  it("have the cursor of their last session, and none on the last page", async () => {
    const storage = await storing(four);
    expect(await listSessions([storage], { owner, limit: 2, after: undefined })).toEqual({
      next: `${recency(2)}~c`,
      sessions: ["d", "c"].map((sessionId) => {
        const minute = four.findIndex(({ id }) => id === sessionId);
        return { sessionId, userId: "ada", createdAt: begun, updatedAt: begun + minute * 60_000, turns: 1 };
      }),
    });
    expect(await listSessions([storage], { owner, limit: 4, after: undefined })).not.toHaveProperty("next");
  });

  it.each([1, 2, 5])(
    "pages of %d sessions of a user merge several storages, and take a session from the first that has it",
    async (limit) => {
      const first = await storing([
        { id: "a", minute: 1 },
        { id: "both", minute: 2 },
      ]);
      const second = await storing([
        { id: "b", minute: 4 },
        { id: "both", minute: 3 },
        { id: "c", minute: 0 },
      ]);
      expect((await pagesOf([first, second], limit)).flat()).toEqual([
        ["b", 4],
        ["both", 2],
        ["a", 1],
        ["c", 0],
      ]);
      expect((await pagesOf([second, first], limit)).flat()).toEqual([
        ["b", 4],
        ["both", 3],
        ["a", 1],
        ["c", 0],
      ]);
    },
  );

  it.each([{}, { tenantId: "acme" }, { userId: "ada" }, { tenantId: "acme", userId: "ad" }])(
    "are empty for %j, and read nothing without a user",
    async (other) => {
      const { driver, calls } = toldCalls(await storing(four));
      expect(await listSessions([driver], { owner: other, limit: 9, after: undefined })).toEqual({ sessions: [] });
      expect(calls).toHaveLength("userId" in other ? 1 : 0);
    },
  );
});

describe("an entry that is older than the session's last change", () => {
  it("lists the session at its place and with its time, and then moves to the right one", async () => {
    const storage = await storing([
      { id: "late", minute: 9, entries: [1] },
      { id: "other", minute: 5 },
    ]);
    expect((await pagesOf([storage], 10)).flat()).toEqual([
      ["other", 5],
      ["late", 1],
    ]);
    expect(await entriesOf(storage)).toEqual([keyOf("late", 9), keyOf("other", 5)]);
    expect((await pagesOf([storage], 10)).flat()).toEqual([
      ["late", 9],
      ["other", 5],
    ]);
  });

  it("stays where it is until the page that lists it", async () => {
    const storage = await storing([
      { id: "late", minute: 9, entries: [1] },
      { id: "other", minute: 5 },
    ]);
    const { next } = await listSessions([storage], { owner, limit: 1, after: undefined });
    expect(await entriesOf(storage)).toEqual([keyOf("other", 5), keyOf("late", 1)]);
    const after = parseSessionCursor(next ?? "");
    const { sessions } = await listSessions([storage], { owner, limit: 1, after });
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual(["late"]);
    expect(await entriesOf(storage)).toEqual([keyOf("late", 9), keyOf("other", 5)]);
  });

  it("is removed where the session has the right one too, also on a later page", async () => {
    for (const limit of [1, 2, 10]) {
      const storage = await storing([
        { id: "twice", minute: 9, entries: [9, 1] },
        { id: "a", minute: 5 },
        { id: "b", minute: 4 },
        { id: "c", minute: 0 },
      ]);
      expect((await pagesOf([storage], limit)).flat().map(([id]) => id)).toEqual(["twice", "a", "b", "c"]);
      expect(await entriesOf(storage)).toEqual([keyOf("twice", 9), keyOf("a", 5), keyOf("b", 4), keyOf("c", 0)]);
    }
  });
});

it("an entry that was left behind lists no session a second time behind the page that ends with its session", async () => {
  const storage = await storing([
    { id: "twice", minute: 9, entries: [9, 1] },
    { id: "a", minute: 5 },
  ]);
  expect(await pagesOf([storage], 1)).toEqual([[["twice", 9]], [["a", 5]]]);
  expect(await entriesOf(storage)).toEqual([keyOf("twice", 9), keyOf("a", 5)]);
});

it("an entry without a record is kept for a day, in which its session may still be created, and then removed by the list", async () => {
  const now = 1_800_000_000_000;
  vi.useFakeTimers({ toFake: ["Date"], now });
  onTestFinished(() => void vi.useRealTimers());
  const dayAgo = (now - 24 * 3_600_000) * 1000;
  const keyAt = (at: number) => recentKey(owner, { sessionId: `s${at - dayAgo}`, recency: at });
  const storage = new InMemoryStorage();
  for (const at of [dayAgo - 1, dayAgo, dayAgo + 1]) await storage.set(namespaces.recent, keyAt(at), { v: 1 });

  expect(await listSessions([storage], { owner, limit: 5, after: undefined })).toEqual({ sessions: [] });
  expect(await entriesOf(storage)).toEqual([keyAt(dayAgo + 1), keyAt(dayAgo)]);
});

it("an entry without a record that cannot be removed fails the list", async () => {
  const storage = new InMemoryStorage();
  await storage.set(namespaces.recent, recentKey(owner, { sessionId: "gone", recency: 1 }), { v: 1 });
  const { driver } = toldCalls(storage, ({ method }) => (method === "delete" ? "fail-before" : undefined));
  await expect(listSessions([driver], { owner, limit: 5, after: undefined })).rejects.toMatchObject({
    code: "storage_unavailable",
  });
});

it("an entry that is newer than the session lists nothing and stays", async () => {
  const storage = await storing([{ id: "lost", minute: 1, entries: [2] }]);
  expect(await pagesOf([storage], 10)).toEqual([[]]);
  expect(await entriesOf(storage)).toEqual([keyOf("lost", 2)]);
});

it("the stored records of an owner's sessions come in the order of their keys, also of members and damaged ones", async () => {
  const storage = await storing([
    { id: "s", minute: 1 },
    { id: "s#member", minute: 2 },
  ]);
  await storage.set(namespaces.sessions, sessionKey(owner, "broken"), { v: 7 });
  await storage.set(namespaces.sessions, sessionKey({ userId: "ada" }, "other"), { v: 1 });
  const keys = (await Array.fromAsync(ownSessions(storage, owner))).map(({ key }) => key);
  expect(keys).toEqual(["broken", "s", "s#member"].map((id) => sessionKey(owner, id)));
});

describe("a session in a second storage", () => {
  it.each([
    { tenantId: "acme", userId: "ada", verified: false },
    { tenantId: "acme", userId: "bob" },
    { userId: "ada" },
  ])("is listed for its owner, whatever %j has of its id in the first one", async (other) => {
    const [first, second] = [new InMemoryStorage(), await storing([{ id: "s", minute: 1 }])];
    const recordOf = (whose: object) => ({
      v: 1,
      owner: whose,
      createdAt: begun,
      updatedAt: begun,
      recency: 1,
      turns: 1,
    });
    await first.set(namespaces.sessions, sessionKey(other, "s"), recordOf(other) as unknown as Json);
    expect(await pagesOf([first, second], 9)).toEqual([[["s", 1]]]);

    const key = recentKey(other, { sessionId: "t", recency: recency(2) });
    await second.set(namespaces.recent, key, { v: 1 });
    const record = { ...recordOf(other), updatedAt: begun + 2 * 60_000, recency: recency(2) };
    await second.set(namespaces.sessions, sessionKey(other, "t"), record as unknown as Json);
    await first.set(namespaces.sessions, sessionKey(owner, "t"), recordOf(owner) as unknown as Json);
    const page = await listSessions([first, second], { owner: other, limit: 9, after: undefined });
    expect(page.sessions.map(({ sessionId }) => sessionId)).toEqual(["t"]);
  });
});
