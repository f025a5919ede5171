import { expect, it, onTestFinished } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { SessionStore } from "./session-store.ts";
import { appendAll } from "./test/turns.ts";

it("SessionStore.join makes one store of all that share a storage, with the listeners of each", async () => {
  const [one, other] = [new InMemoryStorage(), new InMemoryStorage()];
  const forgotten: string[] = [];
  const listener = (name: string) => ({
    forgetSession: async (sessionId: string) => void forgotten.push(`${name} ${sessionId}`),
  });
  const shared = listener("shared");
  const stores = [
    new SessionStore(one, {}, [listener("a"), shared]),
    new SessionStore(other, {}, [listener("b")]),
    new SessionStore(one, {}, [shared, listener("c")]),
  ];
  const [first, second, ...more] = SessionStore.join(stores);
  if (first === undefined || second === undefined) throw new Error("Two storages are two stores.");
  await appendAll(first, ["one"]);

  expect(more).toEqual([]);
  expect((await stores[2]?.readTurns("s"))?.turns).toHaveLength(1);
  await expect(second.readSession("s")).rejects.toMatchObject({ code: "not_found" });
  await first.deleteSession("s");
  expect(forgotten).toEqual(["a s", "shared s", "c s"]);
});

it("SessionStore.join returns a store that shares its storage with no other as it is", () => {
  const store = new SessionStore(new InMemoryStorage());

  expect(SessionStore.join([store, store])).toHaveLength(1);
  expect(SessionStore.join([store])[0]).toBe(store);
  expect(SessionStore.join([])).toEqual([]);
});

it("SessionStore.ping asks the storage, and takes one without ping for usable", async () => {
  const storage = new InMemoryStorage();
  await new SessionStore(Object.assign(storage, { ping: undefined })).ping();
  const broken = Object.assign(new InMemoryStorage(), { ping: async () => await Promise.reject(new Error("Gone.")) });

  await expect(new SessionStore(broken).ping()).rejects.toThrow("Gone.");
});

it("SessionStore.join takes the policy for busy sessions from the first store of a storage", async () => {
  const storage = new InMemoryStorage();
  const policies = [{ maxWaiting: 0 }, { maxWaiting: 1 }, { maxWaiting: 2 }];
  const [store] = SessionStore.join(policies.map((policy) => new SessionStore(storage, policy)));
  const session = await store?.open("s");
  onTestFinished(() => session?.release());
  await expect(store?.open("s")).rejects.toThrow(
    "The session is busy and 0 runs wait for it already. Try again later.",
  );
});
