import { TestChild } from "@troupe-internal/fault-tools";
import { describe, expect, it, onTestFinished } from "vitest";
import { useVectorFiles } from "../test/stores.ts";
import { SqliteVectorStore } from "./sqlite-vector-store.ts";

const newVectorFile = useVectorFiles();

type Created = { created: string; dimensions: string };

/** Starts a process for each number of dimensions, lets them write at the same time, and returns what they told. */
async function writeAtOnce(file: string, dimensions: readonly number[], documents: number): Promise<Created[]> {
  const children = await Promise.all(
    dimensions.map(async (length, name) => {
      const args = [file, String(name), String(length), String(documents)];
      return await TestChild.start(new URL("../test/writer-child.ts", import.meta.url), { args });
    }),
  );
  onTestFinished(async () => void (await Promise.all(children.map(async (child) => await child.close()))));
  await Promise.all(children.map(async (child) => await child.next((said): said is "ready" => said === "ready")));
  for (const child of children) child.send({ begin: true });
  const exits = await Promise.all(children.map(async (child) => await child.exit));

  const output = children.map((child) => child.output.toString()).join("");
  expect(exits, output).toEqual(exits.map(() => ({ code: 0, signal: null })));
  return children.flatMap(({ messages }) => messages.filter((message) => message !== "ready")) as Created[];
}

describe("SqliteVectorStore in several processes on one file", () => {
  it("prepares the file once and loses no document when four begin at once [sqlite.vector-store-processes]", async () => {
    const file = newVectorFile();
    await writeAtOnce(file, [2, 2, 2, 2], 40);

    const store = new SqliteVectorStore(file);
    const shared = store.collection("shared");
    expect(await shared.search([1, 0], { topK: 1000 })).toHaveLength(160);
    expect(await shared.search([1, 0], { topK: 1000, filter: { name: "2" } })).toHaveLength(40);
    expect(await store.collection("first").search([1, 0])).toHaveLength(4);
    await store.close();
  });

  it("lets one of four decide the length of vectors, and refuses the others [sqlite.vector-store-processes]", async () => {
    const file = newVectorFile();
    const told = await writeAtOnce(file, [2, 3, 4, 5], 0);

    const [won, ...more] = told.filter(({ created }) => created === "stored");
    expect(more).toEqual([]);
    const refusals = told.filter(({ created }) => created !== "stored");
    expect(refusals).toHaveLength(3);
    for (const { created, dimensions } of refusals)
      expect(created).toContain(`must have ${won?.dimensions} numbers, as the store's vectors, got ${dimensions}`);
  });

  it("keeps all of a change or nothing when its process is killed [sqlite.vector-store-kill]", async () => {
    const file = newVectorFile();
    for (let kill = 1; kill <= 5; kill++) {
      const child = await TestChild.start(new URL("../test/endless-writer-child.ts", import.meta.url), {
        args: [file],
      });
      onTestFinished(async () => await child.close());
      await child.next((message): message is object => message !== undefined && child.messages.length >= 3 * kill);
      await child.kill();

      const store = new SqliteVectorStore(file);
      const found = await store.search([1, 1, 1], { topK: 100 });
      const groups = new Set(found.map(({ document }) => document.metadata?.["group"]));
      const [group] = [...groups];
      const { group: confirmed = 0 } = child.messages.at(-1) as { group?: number };
      expect([found.length, groups.size]).toEqual([20, 1]);
      // The last change may have been stored without being confirmed.
      expect([confirmed, confirmed + 1]).toContain(group);
      expect(found.every(({ document }) => document.content === String(group).repeat(2000))).toBe(true);
      expect(await store.search([1, 1, 1], { filter: { group }, topK: 100 })).toHaveLength(20);
      expect(await store.search([1, 1, 1], { filter: { "of.index": 7 } })).toHaveLength(1);
      await store.clear();
      await store.close();
    }
  });

  it("searches in JavaScript where Node may not load extensions, and says so once [sqlite.vector-store-scan]", async () => {
    const env = { ...process.env, NODE_OPTIONS: "--permission --allow-fs-read=* --allow-fs-write=*" };
    const child = await TestChild.start(new URL("../test/search-child.ts", import.meta.url), {
      args: [newVectorFile()],
      env,
    });
    onTestFinished(async () => await child.close());
    const { ids } = await child.next((message): message is { ids: string[][] } => message !== undefined);
    await child.exit;

    expect(ids).toEqual([
      ["a", "b"],
      ["b", "a"],
    ]);
    expect(child.output.toString().match(/sqlite-vec could not be loaded/g)).toHaveLength(1);
  });
});
