import { describe, expect, it, vi } from "vitest";
import type { ContentPart } from "../../base/message/content.ts";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { PartStore } from "./part-store.ts";
import { turnKey } from "./session-keys.ts";
import type { TurnConversation } from "./turn-record.ts";

const session = "-/ada/s";
const turnOf = (...parts: ContentPart[]): TurnConversation => ({ input: parts, messages: [] });
const confirmed = async (): Promise<void> => await Promise.resolve();
const keysIn = async (storage: InMemoryStorage) => (await storage.list("turn-parts")).map(({ key }) => key);

describe("large data that is removed", () => {
  const keys = [1, 2, 3].map((seq) => `${turnKey(session, seq)}/0/id${seq}:000000000000`);
  const other = `${turnKey(session, 1)}/0/other:000000000000`;
  const stored = (seq: number) => ({ type: "image", stored: { seq, index: 0, id: `id${seq}`, bytes: 3, pieces: 1 } });

  it.each([
    ["of a turn and what crashes have left under its number", 1, turnOf(), [keys[1], keys[2]]],
    ["of a turn that is not known", 1, undefined, [keys[1], keys[2]]],
    ["that a turn has under another number, and no other there", 2, turnOf(stored(1) as never), [other, keys[2]]],
    [
      "of a turn under its own number",
      2,
      turnOf(stored(2) as never, { type: "image", data: "AAAA" }),
      [keys[0], other, keys[2]],
    ],
    ["of no other turn", 9, turnOf(), [keys[0], other, keys[1], keys[2]]],
  ])("is that %s", async (...row) => {
    const [, seq, turn, left] = row;
    const storage = new InMemoryStorage();
    const parts = new PartStore(storage, session);
    for (const key of [...keys, other]) await storage.set("turn-parts", key, { v: 1 });
    await parts.removeTurn(seq, turn, confirmed);
    expect(await keysIn(storage)).toEqual(left);
  });

  it("stays when the lease was taken", async () => {
    const storage = new InMemoryStorage();
    const parts = new PartStore(storage, session);
    await storage.set("turn-parts", other, { v: 1 });
    const confirm = async (): Promise<void> => await Promise.reject(new Error("taken"));
    await expect(parts.removeTurn(1, undefined, confirm)).rejects.toThrow("taken");
    expect(await keysIn(storage)).toEqual([other]);
    await expect(parts.removeTurn(2, undefined, confirm)).resolves.toBeUndefined();
  });

  it("goes by pages of four, each confirmed", async () => {
    const storage = new InMemoryStorage();
    const parts = new PartStore(storage, session);
    for (let number = 0; number < 9; number++)
      await storage.set("turn-parts", `${turnKey(session, 1)}/0/x:00000000000${number}`, { v: 1 });
    const confirm = vi.fn<() => Promise<void>>(confirmed);
    await parts.removeTurn(1, undefined, confirm);
    expect(confirm).toHaveBeenCalledTimes(3);
    expect(await keysIn(storage)).toEqual([]);
  });

  it("large data that lies behind pages of other data is removed, and no lease is confirmed for those", async () => {
    const storage = new InMemoryStorage();
    const parts = new PartStore(storage, session);
    const left = [0, 1, 2, 3].map((number) => `${turnKey(session, 1)}/0/a:00000000000${number}`);
    const own = `${turnKey(session, 1)}/0/id1:000000000000`;
    for (const key of [...left, own]) await storage.set("turn-parts", key, { v: 1 });
    const confirm = vi.fn<() => Promise<void>>(confirmed);
    await parts.removeTurn(2, turnOf(stored(1) as never), confirm);
    expect(confirm).toHaveBeenCalledOnce();
    expect(await keysIn(storage)).toEqual(left);
  });
});
