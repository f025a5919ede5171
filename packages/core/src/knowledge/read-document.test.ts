import { afterEach, describe, expect, it, vi } from "vitest";
import { TroupeError } from "../base/errors/troupe-error.ts";
import type { VectorDocument, VectorStore } from "./vector/vector-store.ts";
import { toPieces } from "./pieces.ts";
import { readDocument, readPieceOf } from "./read-document.ts";
import { plainStore } from "./test/plain-store.ts";

const embedding = [1, 0];

/** The pieces of a document, of one character each. */
function piecesOf(id: string, content: string, metadata?: Record<string, unknown>): VectorDocument[] {
  const ranges = Array.from(content, (_, start) => ({ start, end: start + 1 }));
  return toPieces({ id, content, ...(metadata && { metadata }) }, ranges).map((piece) => ({ ...piece, embedding }));
}

async function storeOf(...documents: readonly VectorDocument[]): Promise<VectorStore> {
  const store = plainStore();
  for (const document of documents) await store.upsert(document);
  return store;
}

const findsNothing: VectorStore["search"] = () => Promise.resolve([]);

afterEach(() => void vi.useRealTimers());

describe("readDocument", () => {
  it("returns a whole document with its embedding, and null for an id that no document has", async () => {
    const document = { id: "a", content: "x", metadata: { documentId: "b", start: 0, end: 1 }, embedding };
    const store = await storeOf(document, ...piecesOf("b", "xy"));

    expect(await readDocument(store, "a")).toEqual(document);
    expect(await Promise.all(["c", "b#1", "b#2", "b#3"].map((id) => readDocument(store, id)))).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  it.each([1, 2, 7, 8, 9, 16, 17])("rebuilds a document of %i pieces, found or read by their ids", async (count) => {
    const content = "abcdefghijklmnopq".slice(0, count);
    const store = await storeOf(...piecesOf("a", content, { tag: "x" }), ...piecesOf("b", "other"));
    const expected = { id: "a", content, metadata: { tag: "x" } };
    const search: VectorStore["search"] = async (vector) => await store.search(vector, { topK: 100 });

    expect(await readDocument(store, "a")).toEqual(expected);
    expect(await readDocument({ ...store, search: findsNothing }, "a")).toEqual(expected);
    expect(await readDocument({ ...store, search }, "a")).toEqual(expected);
  });

  it.each([
    ["the last", -1],
    ["the last two", -2],
  ])("rebuilds it whole when a search does not find %s of its pieces", async (_which, end) => {
    const store = await storeOf(...piecesOf("a", "vwxyz"));
    const search: VectorStore["search"] = async (...given) =>
      (await store.search(...given)).filter(({ document: { id } }) => id <= `a#${5 + end}`);

    expect(await readDocument({ ...store, search }, "a")).toEqual({ id: "a", content: "vwxyz" });
  });

  it("asks once for all pieces of the one document, by the first one's vector", async () => {
    const store = await storeOf(...piecesOf("a", "abcdefghijkl"));
    const asked: unknown[] = [];
    const search: VectorStore["search"] = async (...given) => (asked.push(given), await store.search(...given));
    const get: VectorStore["get"] = async (id) => (asked.push(id), await store.get(id));
    await readDocument({ ...store, get, search }, "a");

    expect(asked).toEqual(["a", "a#1", [embedding, { topK: 10_000, filter: { documentId: "a" } }], "a#13"]);
  });

  it("reads pieces by their ids when the store gives no vector of the first", async () => {
    const store = await storeOf(...piecesOf("a", "xy"));
    const get: VectorStore["get"] = async (id) => {
      const { embedding: _, ...document } = (await store.get(id)) ?? { id, content: "" };
      return document.content === "" ? null : document;
    };

    expect(await readDocument({ ...store, get, search: () => expect.unreachable() }, "a")).toEqual({
      id: "a",
      content: "xy",
    });
  });

  it.each<[string, VectorDocument, unknown]>([
    ["a whole document", { id: "a", content: "new", embedding }, { id: "a", content: "new", embedding }],
    ["a piece", piecesOf("a", "x").map((piece) => ({ ...piece, id: "a#1" }))[0] as VectorDocument, null],
  ])("looks again, and takes the id of %s for what it is", async (_kind, document, expected) => {
    const answers: (VectorDocument | null)[] = [null, null, document];
    const get: VectorStore["get"] = async () => await Promise.resolve(answers.shift() ?? null);

    expect(await readDocument({ ...plainStore(), get }, "a")).toEqual(expected);
    expect(answers).toEqual([]);
  });

  it.each<[string, string, number, number]>([
    ["storage_corrupt", "do not fit together: it was replaced only in part. Add it again.", 5, 30],
    ["conflict", "are being replaced again and again. Try again later.", 100, 4762],
  ])("gives up as %s after some readings, with pauses", async (...[code, problem, readings, pauses]) => {
    vi.useFakeTimers({ now: 0 });
    const id = "a".repeat(70);
    const [first, , last] = piecesOf(id, "xyz") as [VectorDocument, VectorDocument, VectorDocument];
    let [tries, version] = [0, 0];
    const get: VectorStore["get"] = (asked) => {
      if (asked === id) tries += 1;
      version += code === "conflict" ? 1 : 0;
      if (asked === `${id}#1`) return Promise.resolve({ ...first, content: String(version % 10) });
      const [start, end] = [5, 6];
      return Promise.resolve(
        asked === `${id}#2` ? { ...last, id: asked, metadata: { documentId: id, start, end } } : null,
      );
    };
    const read = readDocument({ ...plainStore(), get, search: findsNothing }, id).catch((error: unknown) => [
      error,
      Date.now(),
    ]);
    await vi.advanceTimersByTimeAsync(20_000);

    const message = `The pieces of the document "${"a".repeat(64)}" ${problem}`;
    expect(await read).toEqual([expect.objectContaining({ code, message }), pauses]);
    expect(tries).toBe(readings);
  });

  it("passes on what the store throws", async () => {
    const gone = new TroupeError("storage_unavailable", "Gone.");
    const fails = () => Promise.reject(gone);
    const store = await storeOf(...piecesOf("a", "xy"));

    await expect(readDocument({ ...store, get: fails }, "a")).rejects.toBe(gone);
    await expect(readDocument({ ...store, search: fails }, "a")).rejects.toBe(gone);
  });
});

describe("readPieceOf", () => {
  it("returns a piece of the document, and undefined for anything else", async () => {
    const [first] = piecesOf("a", "x") as [VectorDocument];
    const store = await storeOf(first, { ...first, id: "b#1" }, { id: "c#1", content: "x", embedding });

    expect(await readPieceOf(store, "a", 1)).toEqual({ documentId: "a", start: 0, end: 1, number: 1, document: first });
    for (const [id, number] of [
      ["a", 2],
      ["b", 1],
      ["c", 1],
      ["x".repeat(1023), 1],
    ] as const) {
      expect(await readPieceOf(store, id, number)).toBeUndefined();
    }
  });

  it("returns undefined for an id that is too long alone", async () => {
    for (const code of ["storage_unavailable", "storage_corrupt"] as const) {
      const get = () => Promise.reject(new TroupeError(code, "No."));

      await expect(readPieceOf({ ...plainStore(), get }, "a", 1)).rejects.toMatchObject({ code });
    }
    const get = () => Promise.reject(new TypeError("x"));
    await expect(readPieceOf({ ...plainStore(), get }, "a", 1)).rejects.toThrow(TypeError);
  });
});
