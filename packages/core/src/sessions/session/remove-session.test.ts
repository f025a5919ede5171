import { describe, expect, it } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { MapStorage } from "../storage/test/map-storage.ts";
import { toldCalls } from "../storage/test/told-calls.ts";
import { recentKey } from "./recent-index.ts";
import { removeAll, removeMemories, removeMemory, removeSession } from "./remove-session.ts";
import { sessionRef } from "./session-keys.ts";
import type { SessionRecord } from "./session-record.ts";

const owner = { userId: "ada" };
const ref = sessionRef(owner, "s");
const session: SessionRecord = { v: 1, owner, createdAt: 1, updatedAt: 1, recency: 7, turns: 2 };
const place = recentKey(owner, { sessionId: "s", recency: 7 });

/** Returns the stored records, each as `<namespace> <key>`. */
const keptIn = async (storage: StorageDriver): Promise<string[]> => {
  const kept: string[] = [];
  for (const namespace of [
    "sessions",
    "session-recent",
    "turns",
    "turn-parts",
    "memory",
    "memory-by-id",
    "locks",
    "facts",
  ])
    for (const { key } of await storage.list(namespace)) kept.push(`${namespace} ${key}`);
  return kept.toSorted();
};

const own = [
  "sessions -/ada/s",
  `session-recent ${place}`,
  "turns -/ada/s/000000000001",
  "turns -/ada/s/000000000002",
  "turn-parts -/ada/s/000000000001/0/x:000000000000",
  "memory -/ada/s",
  "memory -/ada/s/more",
  "memory-by-id s/-/ada",
];
const members = [
  "sessions -/ada/s%23m",
  "turns -/ada/s%23m/000000000001",
  "turn-parts -/ada/s%23m/000000000001/0/x:000000000000",
  "memory -/ada/s%23m",
  "memory-by-id s%23m/-/ada",
  "locks -/ada/s%23m",
  "sessions -/ada/s%2Fr%23m",
  "turns -/ada/s%2Fr%23m/000000000001",
];
const others = [
  "sessions -/ada/s2",
  "sessions -/bob/s",
  "turns -/ada/s2/000000000001",
  "turns -/bob/s/000000000001",
  "turn-parts -/ada/s2/000000000001/0/x:000000000000",
  "memory -/ada/s2",
  "memory -/bob/s",
  "memory-by-id s/-/bob",
  "locks -/ada/s",
  "facts -/ada",
];

async function fill(storage: StorageDriver, places: readonly string[]): Promise<StorageDriver> {
  for (const at of places) {
    const [namespace = "", key = ""] = at.split(" ");
    await storage.set(namespace, key, { v: 1 });
  }
  return storage;
}

const kinds = [
  ["with everything", () => new InMemoryStorage()],
  ["with the five required methods", () => new MapStorage()],
] as const;

describe.each(kinds)("a session that is removed from a storage %s", (_kind, create) => {
  it("goes with its members' sessions, and nothing else does", async () => {
    const storage = await fill(create(), [...own, ...members, ...others]);
    await removeSession({ driver: storage }, ref, session);
    expect(await keptIn(storage)).toEqual(others.toSorted());
  });

  it.each(["sessions -/ada/s%23m", "locks -/ada/s%23m", "turns -/ada/s/000000000002"])(
    "stays when %s cannot be removed",
    async (failing) => {
      const storage = await fill(create(), [...own, ...members]);
      const { driver } = toldCalls(storage, ({ method, args: [first, second] }) => {
        const isAsked = method === "delete" || (Array.isArray(first) && failing.startsWith("sessions"));
        const keys = Array.isArray(first)
          ? first.map(({ namespace, key }) => `${namespace} ${key}`)
          : [`${String(first)} ${String(second)}`];
        return isAsked && keys.includes(failing) ? "fail-before" : undefined;
      });
      await expect(removeSession({ driver }, ref, session)).rejects.toMatchObject({ code: "storage_unavailable" });
      expect(await storage.get("sessions", ref.key)).not.toBeNull();
    },
  );

  it("keeps its place in the list when its record is not known", async () => {
    const storage = await fill(create(), own);
    await removeSession({ driver: storage }, ref, null);
    expect(await keptIn(storage)).toEqual([`session-recent ${place}`]);
  });

  it("goes with its record and its place last, once all else is gone", async () => {
    const { driver, calls } = toldCalls(await fill(create(), [...own, ...members]));
    await removeSession({ driver }, ref, session);
    const writes = calls.filter((call) => !call.startsWith("list"));
    const last = writes.findIndex((call) => call.includes("memory-by-id s/-/ada"));
    const end = writes.slice(last).join(", ");
    expect(end.replaceAll("delete ", "-").replace("transaction ", "")).toMatch(
      /-sessions -\/ada\/s, -session-recent -\/ada\/8999999999999993\/s$/,
    );
    expect(writes.slice(0, last).join(" ")).not.toContain("sessions -/ada/s,");
  });

  it.each([0, 1, 2, 3])("is left at the step after %d at which another process has taken the lease", async (most) => {
    const storage = await fill(create(), own);
    const { driver, calls } = toldCalls(storage);
    const confirm = async (): Promise<void> => {
      calls.push("confirm");
      if (calls.filter((call) => call === "confirm").length > most) throw new Error("taken");
      await Promise.resolve();
    };
    await expect(removeSession({ driver, confirm }, ref, session)).rejects.toThrow("taken");
    expect(calls.at(-1)).toBe("confirm");
    expect(await storage.get("sessions", ref.key)).not.toBeNull();
  });

  it("confirms the lease before each page and before the record", async () => {
    const { driver, calls } = toldCalls(await fill(create(), own));
    await removeSession({ driver, confirm: async () => void calls.push("confirm") }, ref, session);
    expect(
      calls
        .filter((call) => !call.startsWith("list"))
        .join(" ")
        .match(/confirm (?:delete|transaction) \S+/g),
    ).toEqual([
      "confirm delete turns",
      "confirm delete turn-parts",
      "confirm delete memory",
      expect.stringMatching(/^confirm (?:delete memory|transaction -memory)$/),
    ]);
  });
});

describe("records that are removed below a prefix", () => {
  it("are those of one namespace, in pages, which are small for parts of turns", async () => {
    const names = Array.from({ length: 20 }, (_, index) => `a/${String(index).padStart(2, "0")}`);
    for (const [namespace, lists] of [
      ["turn-parts", 3],
      ["facts", 1],
    ] as const) {
      const { driver, calls } = toldCalls(new InMemoryStorage());
      await fill(driver, [...names.map((name) => `${namespace} ${name}`), `${namespace} b/1`, "memory a/1"]);
      calls.length = 0;
      await removeAll(driver, namespace, "a/");
      expect(calls.filter((call) => call.startsWith("list"))).toHaveLength(lists);
      expect(await keptIn(driver)).toEqual([`${namespace} b/1`, "memory a/1"].toSorted());
    }
  });

  it("may be left when one of them fails", async () => {
    const { driver } = toldCalls(new InMemoryStorage(), ({ method }) =>
      method === "delete" ? "fail-before" : undefined,
    );
    await fill(driver, ["facts a/1"]);
    await expect(removeAll(driver, "facts", "a/")).rejects.toMatchObject({ code: "storage_unavailable" });
  });
});

describe("a memory that is removed", () => {
  it("goes before its entry by id, of one session alone", async () => {
    const storage = new MapStorage();
    await fill(storage, ["memory -/ada/s", "memory -/ada/s2", "memory-by-id s/-/ada", "memory-by-id s2/-/ada"]);
    const { driver, calls } = toldCalls(storage);
    await removeMemory(driver, "-/ada/s");
    expect(calls).toEqual(["delete memory -/ada/s", "delete memory-by-id s/-/ada"]);
    expect(await keptIn(storage)).toEqual(["memory -/ada/s2", "memory-by-id s2/-/ada"]);
  });

  it.each([
    [owner, "-/ada"],
    [{ ...owner, verified: false }, "-/~ada"],
    [{ ...owner, tenantId: "acme" }, "acme/ada"],
    [{ ...owner, tenantId: "acme", verified: false }, "acme/~ada"],
  ])("goes behind its entries with all others of the user %j, and of no other", async (user, prefix) => {
    const storage = new MapStorage();
    const prefixes = ["-/ada", "-/~ada", "acme/ada", "acme/~ada", "-/adam"];
    const placesOf = (of: string): string[] =>
      ["s", "t"].flatMap((id) => [`memory ${of}/${id}`, `memory-by-id ${id}/${of}`]);
    await fill(storage, prefixes.flatMap(placesOf));
    const { driver, calls } = toldCalls(storage);
    await removeMemories(driver, user);
    expect(await keptIn(storage)).toEqual(
      prefixes
        .filter((of) => of !== prefix)
        .flatMap(placesOf)
        .toSorted(),
    );
    for (const id of ["s", "t"]) {
      const at = calls.indexOf(`delete memory-by-id ${id}/${prefix}`);
      expect(at).toBeGreaterThanOrEqual(0);
      expect(calls.indexOf(`delete memory ${prefix}/${id}`)).toBeGreaterThan(at);
    }
  });
});
