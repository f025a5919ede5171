import { describe, expect, it, vi } from "vitest";
import { storedDataReferenceOf } from "../../base/message/stored-data.ts";
import type { ContentPart } from "../../base/message/content.ts";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { toldCalls } from "../storage/test/told-calls.ts";
import { PartStore } from "./part-store.ts";
import { turnKey } from "./session-keys.ts";
import { dataPartsOf } from "./turn-part.ts";
import type { TurnConversation } from "./turn-record.ts";

const session = "-/ada/s";
/** Characters that are stored within a turn, and those of a piece. */
const [inline, piece] = [21_848, 349_528];
const base64 = (length: number, seed = "A") => `${seed.repeat(length - 4)}ZZZZ`;
const image = (data: string, more: object = {}): ContentPart => ({ type: "image", data, ...more });
const turnOf = (...parts: ContentPart[]): TurnConversation => ({ input: parts, messages: [] });
const confirmed = async (): Promise<void> => await Promise.resolve();

function storeOf(storage = new InMemoryStorage()) {
  const { driver, calls } = toldCalls(storage);
  return { storage, calls, parts: new PartStore(driver, session) };
}

const keysIn = async (storage: InMemoryStorage) => (await storage.list("turn-parts")).map(({ key }) => key);

describe("large data of a turn", () => {
  it.each([
    ["base64 of 16 KB", false, base64(inline)],
    ["base64 of more", true, base64(inline + 4)],
    ["a web address", false, `https://a/${"x".repeat(inline)}`],
    ["a web address in capitals", false, `HTTP:${"x".repeat(inline)}`],
    ["a data: URL of more", true, `data:image/png;base64,${base64(inline)}`],
  ])("%s is some: %s", (_title, isLarge, data) => {
    expect(PartStore.hasLargeData(turnOf(image("AAAA"), image(data)))).toBe(isLarge);
    const message = { role: "user" as const, content: [image(data)] };
    expect(PartStore.hasLargeData({ input: "", messages: [message] })).toBe(isLarge);
    expect(PartStore.hasLargeData({ history: [message], input: "", messages: [] })).toBe(isLarge);
  });

  it("is none of a text, however long, nor of what is stored already", () => {
    const text = "x".repeat(inline + 1);
    expect(PartStore.hasLargeData({ input: text, messages: [{ role: "assistant", content: text }] })).toBe(false);
    const stored = { type: "image", stored: { seq: 1, index: 0, id: "x", bytes: 9, pieces: 1 } } as never;
    expect(PartStore.hasLargeData(turnOf(stored))).toBe(false);
  });
});

describe("a turn that is written", () => {
  it.each([
    [inline + 4, 1],
    [piece, 1],
    [piece + 4, 2],
    [4 * piece + 4, 5],
  ])("has a reference in place of %d characters, in %d pieces, and is whole again", async (length, pieces) => {
    const { storage, parts } = storeOf();
    const data = base64(length);
    const turn = turnOf(image("AAAA"), image(data, { mimeType: "image/png" }), { type: "text", text: "é" });
    const written = await parts.write(turn, 7, confirmed);

    const [, part] = dataPartsOf(written);
    const stored = part && storedDataReferenceOf(part);
    const { id = "" } = stored ?? {};
    expect(written).toStrictEqual(
      turnOf(
        image("AAAA"),
        {
          type: "image",
          mimeType: "image/png",
          stored: { seq: 7, index: 1, id, bytes: (length / 4) * 3, pieces },
        } as never,
        { type: "text", text: "é" },
      ),
    );
    const keys = Array.from({ length: pieces }, (_, number) => `${turnKey(session, 7)}/1/${id}:00000000000${number}`);
    expect(await keysIn(storage)).toEqual(keys);
    expect(await storage.get("turn-parts", keys.at(-1) ?? "")).toEqual({
      v: 1,
      data: data.slice((pieces - 1) * piece),
    });
    expect(await parts.fillTurns([written])).toStrictEqual([turn]);
    expect(turn.input[1]).toHaveProperty("data", data);
  });

  it("has references in its history and messages too, and each its own pieces", async () => {
    const { storage, parts } = storeOf();
    const [one, two, three] = ["A", "B", "C"].map((seed) => image(base64(inline + 4, seed)));
    const history = [{ role: "user" as const, content: [one ?? image("")] }];
    const messages = [
      { role: "assistant" as const, content: null },
      { role: "tool" as const, toolCallId: "c", content: [three ?? image("")] },
    ];
    const turn = { history, input: [two ?? image("")], messages, runId: "r" };
    const written = await parts.write(turn, 1, confirmed);
    expect(dataPartsOf(written).map((part) => storedDataReferenceOf(part)?.index)).toEqual([0, 1, 2]);
    expect(await keysIn(storage)).toHaveLength(3);
    expect(await parts.fillTurns([written, { input: "é", messages: [] }])).toStrictEqual([
      turn,
      { input: "é", messages: [] },
    ]);
  });

  it("has the type of its first bytes or its address, and another id each time", async () => {
    const { parts } = storeOf();
    const png = `iVBORw0KGgo${"A".repeat(inline)}`.slice(0, inline + 4);
    const ids = new Set<string | undefined>();
    for (const data of [png, `data:image/png;base64,${png}`]) {
      const [part] = dataPartsOf(await parts.write(turnOf(image(data)), 1, confirmed));
      expect(part).toMatchObject({ mimeType: "image/png" });
      ids.add(part && storedDataReferenceOf(part)?.id);
    }
    expect(ids.size).toBe(2);
  });

  it("keeps large data that is no base64 as it is", async () => {
    const { storage, parts } = storeOf();
    const turn = turnOf(image("!".repeat(inline + 4)));
    expect(await parts.write(turn, 1, confirmed)).toStrictEqual(turn);
    expect(await keysIn(storage)).toEqual([]);
  });

  it("goes in place of what a crash has left under its number, once the lease is confirmed", async () => {
    const { storage, calls, parts } = storeOf();
    const left = [`${turnKey(session, 3)}/0/x:000000000000`, `${turnKey(session, 3)}/0/x:000000000001`];
    for (const key of [...left, `${turnKey(session, 2)}/0/y:000000000000`])
      await storage.set("turn-parts", key, { v: 1 });
    const confirm = vi.fn<() => Promise<void>>(async () => void calls.push("confirm"));
    await parts.write(turnOf(image(base64(inline + 4))), 3, confirm);
    const list = `list turn-parts ${turnKey(session, 3)}/`;
    expect(calls.slice(0, 4)).toEqual([list, "confirm", ...left.map((key) => `delete turn-parts ${key}`)]);
    expect(calls.at(-1)).toMatch(/^set turn-parts -\/ada\/s\/000000000003\/0\//);
    expect(await keysIn(storage)).toHaveLength(2);

    confirm.mockRejectedValue(new Error("taken"));
    const before = await keysIn(storage);
    await expect(parts.write(turnOf(image(base64(inline + 4))), 3, confirm)).rejects.toThrow("taken");
    expect(await keysIn(storage)).toEqual(before);
  });

  it("asks for no lease where nothing was left", async () => {
    const confirm = vi.fn<() => Promise<void>>(confirmed);
    await storeOf().parts.write(turnOf(image(base64(inline + 4))), 1, confirm);
    expect(confirm).not.toHaveBeenCalled();
  });
});

describe("stored data that is read", () => {
  async function written(length: number) {
    const { storage, calls, parts } = storeOf();
    const [part = image("")] = dataPartsOf(await parts.write(turnOf(image(base64(length))), 1, confirmed));
    calls.length = 0;
    return { storage, calls, parts, part };
  }

  it("comes four pieces at a time, and no sooner than it is asked for", async () => {
    const { calls, parts, part } = await written(5 * piece);
    const stored = storedDataReferenceOf(part);
    const lengths: number[] = [];
    const read: number[] = [];
    for await (const each of stored === undefined ? [] : parts.read(stored)) {
      lengths.push(each.length);
      read.push(calls.length);
    }
    expect(lengths).toEqual([piece, piece, piece, piece, piece]);
    expect(read).toEqual([4, 4, 4, 4, 5]);
  });

  it.each([
    ["is gone", null],
    ["is short", { v: 1, data: "AAAA" }],
    ["is long", { v: 1, data: base64(inline + 12) }],
    ["is of another version", { v: 2, data: base64(inline + 8) }],
    ["is no text", { v: 1, data: [] }],
    ["is no record", [1]],
  ])("is told by the place of a piece that %s", async (_title, value) => {
    const { storage, parts, part } = await written(inline + 8);
    const [key = ""] = await keysIn(storage);
    await storage.set("turn-parts", key, value);
    await expect(parts.fillPart(part)).rejects.toMatchObject({
      code: "storage_corrupt",
      fields: { namespace: "turn-parts", key },
    });
  });

  it("is nothing to read for a part that has its data", async () => {
    const { calls, parts } = storeOf();
    const own = image("AAAA", { stored: { seq: 1, index: 0, id: "x", bytes: 3, pieces: 1 } });
    expect(await parts.fillPart(own)).toBe(own);
    expect(await parts.fillPart({ type: "text", text: "é" })).toEqual({ type: "text", text: "é" });
    const turn = turnOf(own);
    expect((await parts.fillTurns([turn]))[0]).toBe(turn);
    expect(calls).toEqual([]);
  });
});
