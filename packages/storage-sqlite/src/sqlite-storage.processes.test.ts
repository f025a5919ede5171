import { tmpdir } from "node:os";
import { TestChild } from "@troupe-internal/fault-tools";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { useTestFolder } from "../test/test-folder.ts";
import { SqliteStorage } from "./sqlite-storage.ts";

const newFile = useTestFolder(tmpdir);

describe("SqliteStorage in several processes on one file", () => {
  it("loses and duplicates nothing when three append and compareAndSet at once", async () => {
    const file = newFile();
    const messages = await writeAtOnce({ file, processes: 3, turns: 100, additions: 50 });

    const storage = new SqliteStorage(file);
    const turns = await storage.list("turns", "s/");
    expect(turns.map(({ key }) => Number(key.slice(2)))).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
    expect(new Set(turns.map(({ value }) => JSON.stringify(value))).size).toBe(300);
    expect(new Set(messages.map((message) => JSON.stringify(message))).size).toBe(300);
    expect(await storage.get("ns", "counter")).toBe(150);
    await storage.close();
  });

  it("inserts each record once when three insert the same ones, and hears of it [storage.insert-all-processes] [storage.watch-processes]", async () => {
    const file = newFile();
    const storage = new SqliteStorage(file);
    let calls = 0;
    const stop = storage.watch("inserted", () => (calls += 1));
    await vi.waitFor(() => expect(calls).toBeGreaterThan(0));
    const before = calls;
    const messages = await writeAtOnce({ file, processes: 3, turns: 0, additions: 0, insertions: 50 });

    await vi.waitFor(() => expect(calls).toBeGreaterThan(before));
    stop();
    const inserted = messages.flatMap((message) => (message as { inserted: string[] }).inserted);
    expect(messages).toHaveLength(150);
    expect(inserted).toHaveLength(500);
    expect(new Set(inserted).size).toBe(500);
    expect(await storage.list("inserted")).toHaveLength(500);
    await storage.close();
  });

  it("creates its table once when ten start at the same time", async () => {
    const file = newFile();
    const messages = await writeAtOnce({ file, processes: 10, turns: 1, additions: 0 });

    expect(messages).toHaveLength(10);
    const storage = new SqliteStorage(file);
    expect(await storage.list("turns")).toHaveLength(10);
    await storage.close();
  });
});

type Writers = { file: string; processes: number; turns: number; additions: number; insertions?: number };

/** Lets processes write at the same time, and returns their messages. */
async function writeAtOnce({ file, processes, turns, additions, insertions = 0 }: Writers): Promise<unknown[]> {
  const program = new URL("../test/writer-child.ts", import.meta.url);
  const children = await Promise.all(
    Array.from({ length: processes }, async (_, name) => {
      const args = [file, String(name), String(turns), String(additions), String(insertions)];
      return await TestChild.start(program, { args });
    }),
  );
  onTestFinished(async () => void (await Promise.all(children.map(async (child) => await child.close()))));
  await Promise.all(children.map(async (child) => await child.next((said): said is "ready" => said === "ready")));
  for (const child of children) child.send({ begin: true });
  const exits = await Promise.all(children.map(async (child) => await child.exit));

  const output = children.map((child) => child.output.toString()).join("");
  expect(exits, output).toEqual(exits.map(() => ({ code: 0, signal: null })));
  return children.flatMap(({ messages }) => messages.filter((message) => message !== "ready"));
}
