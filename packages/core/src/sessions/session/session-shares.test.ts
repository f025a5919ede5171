import { describe, expect, it, onTestFinished, vi } from "vitest";
import { faultyStorage } from "../../testing/faulty-storage.ts";
import { BoundedStorage } from "../storage/bounded-storage.ts";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import type { SessionOwner } from "../storage/session-owner.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { SessionStore } from "./session-store.ts";

const ada = { userId: "ada", tenantId: "acme" };
const all = { after: undefined, limit: 100, take: () => true };
const later = (): number => Date.now() + 60_000;

type Where = { readonly owner?: SessionOwner; readonly sessionId?: string };

async function say(store: SessionStore, text: string, { owner = ada, sessionId = "s" }: Where = {}): Promise<void> {
  const session = await store.open(sessionId, { owner });
  const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };
  const messages = [{ role: "assistant" as const, content: "Yes." }];
  await session.appendTurn({ runId: text, runnable: "a", input: text, messages, status: "completed", usage });
  session.release();
}

/** A store with a session that has two turns. */
async function storeWithTurns(driver: StorageDriver = new InMemoryStorage()) {
  const store = new SessionStore(driver);
  await say(store, "one");
  await say(store, "two");
  const share = async (fields: object = {}) =>
    await store.shares.create("s", ada, { expiresAt: later(), hasTools: false, ...fields });
  const read = async (secret: string, page: object = {}) => await store.shares.readTurns(secret, { ...all, ...page });
  return { store, driver, share, read };
}

const missing = { code: "not_found", message: "This link is unknown, was revoked, or has ended." };

async function leftIn(driver: StorageDriver): Promise<number> {
  return (await driver.list("shares")).length + (await driver.list("session-shares")).length;
}

describe("a share of a session", () => {
  it("has the turns and the title that the session had when it was shared", async () => {
    const { store, share, read } = await storeWithTurns();
    await store.renameSession("s", "Rain", { owner: ada });
    const { share: info, secret } = await share();
    await say(store, "three");
    await store.renameSession("s", "Private", { owner: ada });

    const page = await read(secret);
    expect(page.turns.map(({ input }) => input)).toEqual(["one", "two"]);
    expect(page.next).toBeUndefined();
    expect(page.share).toEqual(info);
    expect(info).toMatchObject({ sessionId: "s", title: "Rain", lastTurn: 2, hasTools: false });
  });

  it("is read in pages, which end at the last shared turn", async () => {
    const { store, share, read } = await storeWithTurns();
    const { secret } = await share();
    await say(store, "three");
    await say(store, "four");

    const first = await read(secret, { limit: 1 });
    expect(first).toMatchObject({ turns: [{ seq: 1 }], next: 1 });
    const second = await read(secret, { limit: 1, after: first.next });
    expect(second.turns.map(({ seq }) => seq)).toEqual([2]);
    expect(second.next).toBeUndefined();
    expect(await read(secret, { after: 2 })).toMatchObject({ turns: [] });
    await expect(read(secret, { limit: 101 })).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("loses the turns that its owner deletes", async () => {
    const { store, share, read } = await storeWithTurns();
    const { secret } = await share();
    await store.deleteTurns("s", 2, { owner: ada });
    await say(store, "again");

    expect((await read(secret)).turns.map(({ input }) => input)).toEqual(["one"]);
  });

  it("is stored without its secret", async () => {
    const { driver, share } = await storeWithTurns();
    const { secret, share: info } = await share();
    const stored = [...(await driver.list("shares")), ...(await driver.list("session-shares"))];

    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(stored).toHaveLength(2);
    expect(JSON.stringify([stored, info])).not.toContain(secret);
    expect(stored[1]?.value).toMatchObject({ hash: expect.stringMatching(/^[\da-f]{64}$/) as unknown });
  });

  it.each([
    ["an unknown secret", (secret: string) => `${secret.startsWith("A") ? "B" : "A"}${secret.slice(1)}`],
    ["no secret", () => ""],
    ["another form", () => "../../sessions"],
    ["the id of the share", (_: string, shareId: string) => shareId],
  ])("is not found for %s", async (_, of) => {
    const { share, read } = await storeWithTurns();
    const { secret, share: info } = await share();

    await expect(read(of(secret, info.shareId))).rejects.toMatchObject(missing);
  });

  it("is not found for a secret whose hash only begins with its id", async () => {
    const { driver, share, read } = await storeWithTurns();
    const { secret, share: info } = await share();
    const [stored] = await driver.list("session-shares");
    const value = { ...(stored?.value as object), hash: info.shareId + "0".repeat(32) };
    await driver.set("session-shares", stored?.key ?? "", value);

    await expect(read(secret)).rejects.toMatchObject(missing);
  });

  it("ends at its time, and is removed by the next list", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { store, driver, share, read } = await storeWithTurns();
    const { secret } = await share({ expiresAt: Date.now() + 1000 });
    vi.advanceTimersByTime(999);
    expect((await read(secret)).turns).toHaveLength(2);

    vi.advanceTimersByTime(1);
    await expect(read(secret)).rejects.toMatchObject(missing);
    expect(await store.shares.list(ada)).toEqual([]);
    expect(await leftIn(driver)).toBe(0);
  });

  it("is gone with its session, with its user, and when it is revoked", async () => {
    const endings: ((store: SessionStore, shareId: string) => Promise<void>)[] = [
      async (store) => await store.deleteSession("s", { owner: ada }),
      async (store) => await store.deleteUser("ada", { tenantId: "acme" }),
      async (store, shareId) => await store.shares.revoke(shareId, ada),
    ];
    for (const end of endings) {
      const { store, driver, share, read } = await storeWithTurns();
      const { secret, share: info } = await share();
      await end(store, info.shareId);

      await expect(read(secret)).rejects.toMatchObject(missing);
      expect(await leftIn(driver)).toBe(0);
    }
  });

  it("does not show a later session of the same id", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { store, driver, share, read } = await storeWithTurns();
    const { secret } = await share();
    await driver.delete("sessions", "acme/ada/s");
    vi.advanceTimersByTime(1);
    await say(store, "private");

    await expect(read(secret)).rejects.toMatchObject(missing);
  });

  it("is not made for a session that is deleted meanwhile", async () => {
    const inner = new InMemoryStorage();
    const { store: other } = await storeWithTurns(inner);
    const driver = new Proxy<StorageDriver>(inner, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (name !== "transaction" || typeof member !== "function") {
          return typeof member === "function" ? member.bind(target) : member;
        }
        return async (writes: { namespace: string }[]) => {
          await Reflect.apply(member, target, [writes]);
          if (writes.some(({ namespace }) => namespace === "shares")) await inner.delete("sessions", "acme/ada/s");
        };
      },
    });
    expect(await other.has("s", { owner: ada })).toBe(true);
    const made = new SessionStore(driver).shares.create("s", ada, { expiresAt: later(), hasTools: false });

    await expect(made).rejects.toMatchObject({ code: "not_found" });
    expect(await leftIn(inner)).toBe(0);
  });

  it("is refused for a session of another owner, for one without turns, and beyond 100 of a user", async () => {
    const { store, share } = await storeWithTurns();
    const fields = { expiresAt: later(), hasTools: false };
    await expect(store.shares.create("s", { userId: "ada" }, fields)).rejects.toMatchObject({ code: "not_found" });
    await expect(store.shares.create("none", ada, fields)).rejects.toMatchObject({ code: "not_found" });
    for (let count = 0; count < 100; count++) await share();

    await expect(share()).rejects.toMatchObject({ code: "conflict" });
    const [newest] = await store.shares.list(ada);
    await store.shares.revoke(newest?.shareId ?? "", ada);
    expect((await share()).share.sessionId).toBe("s");
  });

  it("is listed by session for an owner without a user, who names the session to revoke it", async () => {
    const store = new SessionStore(new InMemoryStorage());
    await say(store, "one", { owner: {} });
    await say(store, "one", { owner: {}, sessionId: "t" });
    const { share } = await store.shares.create("s", {}, { expiresAt: later(), hasTools: true });

    await expect(store.shares.list({})).rejects.toMatchObject({ code: "invalid_request" });
    expect(await store.shares.list({}, "t")).toEqual([]);
    expect(await store.shares.list({}, "s")).toEqual([share]);
    await expect(store.shares.revoke(share.shareId, {})).rejects.toMatchObject(missing);
    await expect(store.shares.revoke(share.shareId, {}, "t")).rejects.toMatchObject(missing);
    await expect(store.shares.revoke(share.shareId, ada, "s")).rejects.toMatchObject(missing);
    await expect(store.shares.revoke("../x", {}, "s")).rejects.toMatchObject(missing);
    await store.shares.revoke(share.shareId, {}, "s");
    expect(await store.shares.list({}, "s")).toEqual([]);
  });

  it("is dropped with its session by a bounded storage", async () => {
    const driver = new BoundedStorage({ maxSessions: 1 });
    const { store, share, read } = await storeWithTurns(driver);
    const { secret } = await share();
    await say(store, "other", { sessionId: "t" });

    await expect(read(secret)).rejects.toMatchObject(missing);
    expect(await leftIn(driver)).toBe(0);
  });

  it("rejects a damaged record as corrupt, and fails with its storage", async () => {
    const { driver, share, read } = await storeWithTurns();
    const { secret, share: info } = await share();
    const broken = new SessionStore(faultyStorage(driver, () => "fail-before"));
    await expect(broken.shares.readTurns(secret, all)).rejects.toMatchObject({ code: "storage_unavailable" });
    const [stored] = await driver.list("session-shares");
    for (const damage of [{ hasTools: 1 }, { lastTurn: -1 }, { title: 3 }, { owner: null }, { hash: 1 }]) {
      await driver.set("session-shares", stored?.key ?? "", { ...(stored?.value as object), ...damage });
      await expect(read(secret)).rejects.toMatchObject({ code: "storage_corrupt" });
    }
    await driver.set("shares", info.shareId, { v: 1 });
    await expect(read(secret)).rejects.toMatchObject({ code: "storage_corrupt" });
  });
});
