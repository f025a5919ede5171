import { describe, expect, it } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { getTextContent } from "../../base/message/content.ts";
import { Memory } from "./memory.ts";

const user = { userId: "u" };

/** A memory of three agents, each with a storage of its own, that has messages of one session in some of the storages. */
async function start(filled: readonly number[]) {
  const storages = [new InMemoryStorage(), new InMemoryStorage(), new InMemoryStorage()];
  const memory = new Memory();
  for (const storage of storages) memory.bindStorage(storage);
  for (const [index, storage] of storages.entries()) {
    const message = { role: "user" as const, content: `${index}` };
    const inStorage = { ...user, storage };
    if (filled.includes(index)) await memory.addMessages("s", [message], inStorage);
  }
  const read = async () =>
    await Promise.all(
      storages.map(async (storage) => {
        const messages = await memory.getMessages("s", { ...user, storage });
        return messages.map(({ content }) => getTextContent(content)).join();
      }),
    );
  return { memory, storages, read };
}

describe("a memory in several storages", () => {
  it.each([[[]], [[0]], [[1]], [[2]], [[0, 1]], [[0, 2]], [[1, 2]], [[0, 1, 2]]])(
    "is cleared in all of %j, and once",
    async (filled) => {
      const { memory, read } = await start(filled);
      expect(await read()).toEqual([0, 1, 2].map((index) => (filled.includes(index) ? `${index}` : "")));

      expect(await memory.clear("s", user)).toBe(filled.length === 0 ? 0 : 1);
      expect(await read()).toEqual(["", "", ""]);
      expect(await memory.clear("s", user)).toBe(0);
    },
  );

  it.each([0, 1, 2])("is cleared in the storage %i alone if that is named", async (index) => {
    const { memory, storages, read } = await start([0, 1, 2]);
    expect(await memory.clear("s", { ...user, storage: storages[index] })).toBe(1);

    expect(await read()).toEqual(["0", "1", "2"].with(index, ""));
  });

  it.each([[[0]], [[1]], [[2]], [[1, 2]]])("is read from the first of %j", async (filled) => {
    const { memory } = await start(filled);

    expect(await memory.getMessages("s", user)).toMatchObject([{ content: `${filled[0]}` }]);
  });
});
