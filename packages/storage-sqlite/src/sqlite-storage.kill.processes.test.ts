import { tmpdir } from "node:os";
import type { Json } from "@troupe/core";
import { TestChild } from "@troupe-internal/fault-tools";
import { expect, it, onTestFinished } from "vitest";
import { useTestFolder } from "../test/test-folder.ts";
import { SqliteStorage } from "./sqlite-storage.ts";

const newFile = useTestFolder(tmpdir);
type Told = { seq?: number; pair?: number };

it("SqliteStorage loses no confirmed write and keeps no partial one when its process is killed", async () => {
  const file = newFile();
  for (let kill = 1; kill <= 5; kill++) {
    const told = await writeUntilKilled(file, 20 + 10 * kill);

    const storage = new SqliteStorage(file);
    const turns = await storage.list("turns");
    const pair = (await storage.list("pair")).map(({ value }) => value);
    await storage.close();
    const [lastTurn = 0, lastPair = 0] = [lastOf(told, "seq"), lastOf(told, "pair")];
    expect(turns.map(({ key }) => Number(key.slice(2)))).toEqual(turns.map((_, index) => index + 1));
    // The last write may have been stored without being confirmed.
    expect([lastTurn, lastTurn + 1]).toContain(turns.length);
    expect(turns.every(({ value }) => isWhole(value))).toBe(true);
    expect(pair[0]).toBe(pair[1]);
    expect([lastPair, lastPair + 1]).toContain(pair[0]);
  }
});

/** Lets a process write until it has sent this many messages, kills it, and returns all messages. */
async function writeUntilKilled(file: string, messages: number): Promise<Told[]> {
  const child = await TestChild.start(new URL("../test/endless-writer-child.ts", import.meta.url), { args: [file] });
  onTestFinished(async () => await child.close());
  await child.next((message): message is Told => message !== undefined && child.messages.length >= messages);
  await child.kill();
  return child.messages as Told[];
}

function lastOf(told: readonly Told[], name: keyof Told): number | undefined {
  return told.map((message) => message[name]).findLast((number) => number !== undefined);
}

function isWhole(value: Json): boolean {
  const { number, text } = value as { number: number; text: string };
  return text === String(number).repeat(5000);
}
