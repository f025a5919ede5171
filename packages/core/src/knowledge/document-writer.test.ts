import { describe, expect, it } from "vitest";
import type { VectorStore } from "./vector/vector-store.ts";
import { DocumentWriter } from "./document-writer.ts";
import type { DocumentRecords } from "./document-writer.ts";
import { toPieces } from "./pieces.ts";
import { plainStore, writingStore } from "./test/plain-store.ts";

const embedding = [1, 0];
const whole = (id: string): DocumentRecords => ({ id, isSplit: false, records: [{ id, content: id, embedding }] });

/** A document in pieces of one character each. */
function split(id: string, content: string): DocumentRecords {
  const ranges = Array.from(content, (_, start) => ({ start, end: start + 1 }));
  const records = toPieces({ id, content }, ranges).map((piece) => ({ ...piece, embedding }));
  return { id, isSplit: true, records };
}

type Before = (call: string) => Promise<void> | void;

/** A writer over a store that records its changes. `before` is called before each call of the store. */
function writerOver(
  store: VectorStore,
  { hasPieces = true, before = () => {} }: { hasPieces?: boolean; before?: Before } = {},
) {
  const calls: string[] = [];
  const tell = async (call: string) => {
    calls.push(call);
    await before(call);
  };
  const recording: VectorStore = {
    ...store,
    get: async (id) => (await tell(`get ${id}`), await store.get(id)),
    upsert: async (document) => (await tell(`upsert ${document.id}`), await store.upsert(document)),
    delete: async (id) => (await tell(`delete ${id}`), await store.delete(id)),
    ...(store.write !== undefined && {
      write: async (change) => {
        const { upsert = [], ...rest } = change;
        await tell(`write ${JSON.stringify({ upsert: upsert.map(({ id }) => id).join(), ...rest })}`);
        await store.write?.(change);
      },
    }),
  };
  const writer = new DocumentWriter(recording, { hasPieces });
  const changes = () => calls.splice(0).filter((call) => !call.startsWith("get"));
  const idsOf = async () => (await store.search(embedding, { topK: 100 })).map(({ document }) => document.id);
  return Object.assign(writer, { calls, changes, idsOf });
}

const conflict = (message: string) => ({ code: "conflict", message });
const stores = [
  ["with write", writingStore],
  ["without write", plainStore],
] as const;

describe.each(stores)("DocumentWriter over a store %s", (_kind, create) => {
  it("refuses a new document whose id is that of a piece, and changes nothing", async () => {
    const writer = writerOver(create());
    await writer.store([split("a", "xy"), whole("b")]);
    const before = await writer.idsOf();

    for (const id of ["a#1", "a#2", "a#3"]) {
      await expect(writer.store([whole(id)])).rejects.toMatchObject(
        conflict(`The id "${id}" has the form of a piece of the document "a", which is split. Choose another id.`),
      );
    }
    expect(await writer.idsOf()).toEqual(before);
    await writer.store(["a#0", "a#01", "a#1x", "b#1", "#1"].map(whole));
    expect(await writer.idsOf()).toHaveLength(before.length + 5);
  });

  it("refuses to split a document when a piece would replace another, and changes nothing", async () => {
    const writer = writerOver(create());
    const message = (id: string, piece: string) =>
      conflict(
        `The document "${id}" has to be split, but the id of its piece "${piece}" is that of another document. Rename one of them.`,
      );
    await writer.store([whole("a#2"), split("b#1", "x"), whole("a")]);
    const before = await writer.idsOf();

    await expect(writer.store([split("a", "xyz")])).rejects.toMatchObject(message("a", "a#2"));
    await expect(writer.store([split("b", "xyz")])).rejects.toMatchObject(message("b", "b#1"));
    expect(await writer.idsOf()).toEqual(before);
    await writer.store([split("a", "x")]);
    expect(await writer.idsOf()).toEqual(["a#1", "a#2", "b#1#1"]);
  });

  it("stores a document again that had its id before the other was split", async () => {
    const writer = writerOver(create());
    await writer.store([whole("a#9"), split("a#8", "xy")]);
    await writer.store([split("a", "xy")]);
    await writer.store([whole("a#9"), split("a#8", "x"), split("a", "xyz")]);

    expect(await writer.idsOf()).toEqual(["a#1", "a#2", "a#3", "a#8#1", "a#9"]);
  });

  it("deletes a document with its pieces and no other, and no piece alone", async () => {
    const writer = writerOver(create());
    await writer.store([split("a", "xyz"), whole("b"), whole("ab"), split("ab#c", "x")]);

    await expect(writer.delete("a#2")).rejects.toMatchObject(
      conflict('"a#2" is a piece of the document "a". Delete the document by its own id.'),
    );
    await expect(writer.delete("")).rejects.toMatchObject({ code: "invalid_value" });
    await writer.delete("a#4");
    expect(await writer.idsOf()).toHaveLength(6);
    await writer.delete("a");
    await writer.delete("a");
    expect(await writer.idsOf()).toEqual(["ab", "ab#c#1", "b"]);
    await writer.delete("b");
    expect(await writer.idsOf()).toEqual(["ab", "ab#c#1"]);
  });

  it("quotes the first 64 characters of an id", async () => {
    const writer = writerOver(create());
    const id = `"${"x".repeat(70)}`;
    await writer.store([split(id, "x")]);

    const shown = JSON.stringify(id.slice(0, 64));
    await expect(writer.delete(`${id}#1`)).rejects.toThrow(`${shown} is a piece of the document ${shown}. `);
  });

  it("changes a document by one call at a time, also after a failure, and others meanwhile", async () => {
    const counts = { open: 0, most: 0 };
    const before = async (call: string) => {
      if (call.startsWith("get")) return;
      counts.most = Math.max(counts.most, ++counts.open);
      await new Promise((resolve) => setImmediate(resolve));
      counts.open -= 1;
    };
    const writer = writerOver(create(), { before });
    const wrong = { ...split("a", "x"), records: [{ id: "a#1", content: "x", embedding: [Number.NaN] }] };
    await writer.store([split("a", "xyz")]);
    const [failed, ...done] = await Promise.allSettled([
      writer.store([wrong]),
      writer.delete("a#1#2"),
      writer.store([split("a", "x")]),
      writer.delete("a"),
      writer.store([split("a", "xy")]),
    ]);

    expect([failed, ...done].map(({ status }) => status)).toEqual(["rejected", ...done.map(() => "fulfilled")]);
    expect([counts.most, await writer.idsOf()]).toEqual([1, ["a#1", "a#2"]]);
    const [first, second] = [writer.store([split("a", "x")]), writer.store([split("a", "xyz")])];
    await first;
    await Promise.all([second, writer.delete("a")]);
    expect([counts.most, await writer.idsOf()]).toEqual([1, []]);
    await Promise.all(["b", "c", "d"].map(async (id) => await writer.store([split(id, "x")])));
    expect(counts.most).toBe(3);
  });

  it("stores nothing for a signal that has aborted, and nothing after one that aborts", async () => {
    const stored: string[] = [];
    const onStored = (id: string) => void stored.push(id);
    const writer = writerOver(create());
    const aborted = AbortSignal.abort();

    await expect(writer.store([whole("a"), split("b", "x")], { signal: aborted, onStored })).rejects.toMatchObject({
      code: "cancelled",
    });
    expect([stored, await writer.idsOf()]).toEqual([[], []]);

    const abort = new AbortController();
    const options = { signal: abort.signal, onStored: (id: string) => (onStored(id), abort.abort()) };
    await expect(writer.store([split("c", "x"), split("d", "x")], options)).rejects.toMatchObject({
      code: "cancelled",
    });
    expect([stored, await writer.idsOf()]).toEqual([["c"], ["c#1"]]);
  });

  it("writes nothing when its signal aborts while it reads", async () => {
    const abort = new AbortController();
    const before = (call: string) => (call === "get a#2" ? abort.abort() : undefined);
    const writer = writerOver(create(), { before });

    await expect(writer.store([split("a", "xy")], { signal: abort.signal })).rejects.toMatchObject({
      code: "cancelled",
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect([writer.changes(), await writer.idsOf()]).toEqual([[], []]);
  });

  it("takes every document for a whole one in a store without pieces, and reads nothing", async () => {
    const writer = writerOver(create(), { hasPieces: false });
    await writer.store([whole("a"), whole("a#1")]);
    await writer.store([whole("a#1")]);
    await writer.delete("a");

    expect(writer.calls.filter((call) => call.startsWith("get"))).toEqual([]);
    expect(await writer.idsOf()).toEqual(["a#1"]);
  });
});

describe("DocumentWriter", () => {
  it("stores new whole documents of usual ids in one write, and tells of each", async () => {
    const stored: string[] = [];
    const writer = writerOver(writingStore());
    await writer.store([split("old", "xy")]);
    writer.changes();
    const documents = [split("a", "xy"), whole("b"), whole("old"), whole("c#1"), whole("d")];
    await writer.store(documents, { onStored: (id) => void stored.push(id) });

    expect(writer.changes()).toEqual([
      'write {"upsert":"b,d"}',
      'write {"upsert":"a#1,a#2","delete":["a"]}',
      'write {"upsert":"old","delete":[],"deleteWhere":{"documentId":"old"}}',
      'write {"upsert":"c#1","delete":[]}',
    ]);
    expect(stored).toEqual(["b", "d", "a", "old", "c#1"]);
    await writer.store([]);
    await writer.delete("old");
    await writer.delete("a");
    expect(writer.changes()).toEqual([
      "delete old",
      'write {"upsert":"","delete":["a"],"deleteWhere":{"documentId":"a"}}',
    ]);
  });

  it.each([split("a", "xy"), whole("a")])(
    "removes in one write what another has stored meanwhile: %j",
    async (document) => {
      const store = writingStore();
      const other = writerOver(store);
      let isFirst = true;
      const before = async (call: string) => {
        if (!call.startsWith("write")) return;
        await new Promise((resolve) => setImmediate(resolve));
        if (isFirst) await ((isFirst = false), other.store([split("a", "vwxyz")]));
      };
      const writer = writerOver(store, { before });
      await writer.store([document]);

      const { records, isSplit } = document;
      const again = {
        upsert: records.map(({ id }) => id).join(),
        delete: isSplit ? ["a"] : [],
        deleteWhere: { documentId: "a" },
      };
      expect(await writer.idsOf()).toEqual(records.map(({ id }) => id));
      expect(writer.changes().slice(1)).toEqual([`write ${JSON.stringify(again)}`]);
    },
  );

  it("stores new pieces before it deletes old ones, the last first, where the store has no write", async () => {
    const writer = writerOver(plainStore());
    const changesOf = async (document: DocumentRecords) => (await writer.store([document]), writer.changes());

    expect(await changesOf(split("a", "wxyz"))).toEqual([
      "upsert a#1",
      "upsert a#2",
      "upsert a#3",
      "upsert a#4",
      "delete a",
    ]);
    expect(await changesOf(split("a", "xy"))).toEqual([
      "upsert a#1",
      "upsert a#2",
      "delete a",
      "delete a#4",
      "delete a#3",
    ]);
    expect(await changesOf(whole("a"))).toEqual(["upsert a", "delete a#2", "delete a#1"]);
    expect(await changesOf(whole("a"))).toEqual(["upsert a"]);
    await writer.store([split("a", "xy")]);
    writer.changes();
    await writer.delete("a");
    expect(writer.changes()).toEqual(["delete a", "delete a#2", "delete a#1"]);
  });
});
