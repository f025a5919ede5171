import { describe, expect, it } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { faultyStorage } from "../testing/faulty-storage.ts";
import { changeRecord } from "./change-record.ts";
import { Memory } from "./memory.ts";
import { exchange } from "./test/conversation.ts";

const place = { namespace: "memory", key: "-/a" };

/** The storage as another process has it: the same records, another line to wait in. */
const asOtherProcess = (storage: InMemoryStorage) => faultyStorage(storage, () => undefined);

describe("changeRecord", () => {
  it("loses no change of another process, where the storage can compare and set", async () => {
    const storage = new InMemoryStorage();
    const memories = [1, 2, 3].map(() => new Memory({ storage: asOtherProcess(storage) }));
    await Promise.all(memories.map(async (memory, index) => await memory.addMessages("a", exchange(String(index)))));

    const messages = await new Memory({ storage }).getMessages("a");
    expect(messages).toHaveLength(6);
    expect(messages).toEqual(expect.arrayContaining(["0", "1", "2"].flatMap(exchange)));
  });

  it("gives up when others are always faster", async () => {
    const storage = new InMemoryStorage();
    let changes = 0;
    const changed = changeRecord({ driver: storage, place }, async () => {
      await storage.set("memory", "-/a", ++changes);
      return "late";
    });

    await expect(changed).rejects.toMatchObject({ code: "conflict" });
    expect(await storage.get("memory", "-/a")).toBe(changes);
  });

  it("leaves all as it is when there is nothing to change", async () => {
    const storage = new InMemoryStorage();
    await storage.set("memory", "-/a", "before");
    await changeRecord({ driver: storage, place }, async () => undefined);

    expect(await storage.get("memory", "-/a")).toBe("before");
  });
});
