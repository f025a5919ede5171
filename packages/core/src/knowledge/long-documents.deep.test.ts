import { describe, expect, inject, it } from "vitest";
import { InMemoryVectorStore } from "./vector/in-memory-vector-store.ts";
import { long, openKnowledge, pieceIds, short } from "./test/long-documents.ts";
import { longText } from "./test/long-text.ts";
import { plainStore, writingStore } from "./test/plain-store.ts";

/** Documents of about ten pieces each, and the least number of all their pieces. */
const [documentCount, leastPieces] = { few: [100, 800] as const, many: [500, 5000] as const }[inject("trials")];

const stores = {
  "a store with collections": () => new InMemoryVectorStore(),
  "a store without collections": writingStore,
  "a store with six methods": plainStore,
};

const conflict = (message: string) => ({ code: "conflict", message: expect.stringContaining(message) });

describe.each(Object.entries(stores))("long documents of a KnowledgeBase over %s", (_name, createStore) => {
  it("are found by their pieces, each with its text and place [knowledge.chunking]", async () => {
    const knowledge = openKnowledge(createStore());
    const { content } = long("archive");
    await knowledge.addDocuments([{ ...long("archive"), metadata: { shelf: 1 } }, short("note")]);
    const [best] = await knowledge.search("The archive keeps page 13 in a drawer", { topK: 1 });

    expect(best?.document.id).toMatch(/^archive#[1-9]$/);
    expect(best?.document.content).toContain("page 13 in");
    const { start, end } = (best?.document.metadata ?? {}) as { start: number; end: number };
    expect(best?.document).toEqual({
      id: best?.document.id,
      content: content.slice(start, end),
      metadata: { shelf: 1, documentId: "archive", start, end },
    });
    const all = await knowledge.idsOf();
    expect(all).toEqual([...pieceIds("archive", all.length - 1), "note"].toSorted());
    expect(await knowledge.idsOf({ shelf: 1 })).toHaveLength(all.length - 1);
    expect(await knowledge.idsOf({ documentId: "archive" })).toHaveLength(all.length - 1);
  });

  it("are returned whole, and removed with all their pieces [knowledge.whole-documents]", async () => {
    const knowledge = openKnowledge(createStore());
    for (const id of ["archive", "other"]) await knowledge.add({ ...long(id), metadata: { shelf: { row: 1 } } });
    await knowledge.add(long("bare"));

    expect(await knowledge.get("archive")).toEqual({ ...long("archive"), metadata: { shelf: { row: 1 } } });
    expect(await knowledge.get("bare")).toEqual(long("bare"));
    expect(await knowledge.get("archive#1")).toBeNull();
    expect(await knowledge.get("arch")).toBeNull();
    await knowledge.delete("archive");
    await knowledge.delete("archive");
    expect(await knowledge.get("archive")).toBeNull();
    expect(await knowledge.idsOf({ documentId: "archive" })).toEqual([]);
    expect((await knowledge.get("other"))?.content).toBe(longText(20));
  });

  it("take the place of their old pieces when they are added again [knowledge.replace]", async () => {
    const knowledge = openKnowledge(createStore());
    for (const document of [
      long("a", 40),
      long("a", 12, "The office"),
      long("a", 30),
      short("a"),
      long("a", 25),
      short("a"),
    ]) {
      await knowledge.addDocuments([document]);
      expect(await knowledge.get("a")).toMatchObject(document);
      const ids = await knowledge.idsOf();
      expect(ids).toEqual(document.content.length < 20 ? ["a"] : pieceIds("a", ids.length));
      await knowledge.add(document);
      expect(await knowledge.idsOf()).toEqual(ids);
    }
  });

  it("leave the pieces of exactly one of many that are added at once [knowledge.replace]", async () => {
    const store = createStore();
    const one = openKnowledge(store);
    const versions = [
      long("a", 40),
      long("a", 12, "The office"),
      short("a"),
      long("a", 25, "The harbour"),
      long("a", 8),
    ];
    for (let round = 0; round < 10; round++) {
      await one.clear();
      const order = versions.toSorted(
        (left, right) => ((left.content.length * (round + 3)) % 7) - ((right.content.length * (round + 3)) % 7),
      );
      // Some in one knowledge base, others in one of its own, as in another process.
      const bases =
        createStore === plainStore ? order.map(() => one) : order.map((_, at) => (at % 2 ? one : openKnowledge(store)));
      await Promise.all(order.map(async (document, at) => await bases[at]?.add(document)));
      const stored = await one.get("a");
      expect(versions.map(({ content }) => content)).toContain(stored?.content);
      const ids = await one.idsOf();
      expect(ids).toEqual(stored?.embedding === undefined ? pieceIds("a", ids.length) : ["a"]);
    }
  });

  it("are never replaced by a document with the id of a piece [knowledge.piece-ids]", async () => {
    const knowledge = openKnowledge(createStore());
    await knowledge.add(long("x"));
    const before = await knowledge.idsOf();
    for (const id of ["x#1", "x#3", "x#9999"]) {
      const refusal = conflict(`The id "${id}" has the form of a piece of the document "x", which is split.`);
      await expect(knowledge.add(short(id))).rejects.toMatchObject(refusal);
      await expect(knowledge.addDocuments([short("y"), long(id)])).rejects.toMatchObject(conflict(`"${id}"`));
    }
    for (const id of ["x#0", "x#01", "x#", "#1", "x#1.5", "X#1", "other#1"]) await knowledge.add(short(id));

    expect(await knowledge.get("x")).toEqual(long("x"));
    expect((await knowledge.idsOf()).length).toBe(before.length + 8);
    await expect(knowledge.delete("x#1")).rejects.toMatchObject(
      conflict('"x#1" is a piece of the document "x". Delete'),
    );
    expect(await knowledge.get("x")).toEqual(long("x"));
  });

  it("are not split over a document that has the id of a piece [knowledge.piece-ids]", async () => {
    const knowledge = openKnowledge(createStore());
    await knowledge.addDocuments([short("x"), short("x#3"), long("y#2")]);
    const before = await knowledge.idsOf();
    const refusal = (id: string) => conflict(`the id of its piece "${id}" is that of another document. Rename`);
    await expect(knowledge.add(long("x"))).rejects.toMatchObject(refusal("x#3"));
    await expect(knowledge.add(long("y"))).rejects.toMatchObject(refusal("y#2"));
    const together = { code: "conflict", message: expect.stringContaining('"z#1" has the form of a piece') };
    await expect(knowledge.addDocuments([long("z"), short("z#1")])).rejects.toMatchObject(together);

    expect(await knowledge.idsOf()).toEqual(before);
    expect(await knowledge.get("x#3")).toMatchObject(short("x#3"));
    expect(await knowledge.get("y#2")).toEqual(long("y#2"));
    await knowledge.add(long("x", 8));
    await knowledge.add({ ...short("x#3"), content: "changed again" });
    expect(await knowledge.get("x")).toEqual(long("x", 8));
    expect((await knowledge.get("x#3"))?.content).toBe("changed again");
  });

  it("are not replaced by a document with the id of a piece that is added together with them, and do not replace it [knowledge.piece-ids]", async () => {
    const knowledge = openKnowledge(createStore());
    for (const documents of [
      [long("x"), short("x#2")],
      [short("z#2"), long("z")],
      [short("y#1#1"), long("y#1")],
    ]) {
      const outcomes = await Promise.allSettled(documents.map(async (document) => await knowledge.add(document)));
      expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
      expect(await knowledge.get(documents[0]?.id ?? "")).toMatchObject(documents[0] ?? {});
      expect(await knowledge.get(documents[1]?.id ?? "")).toBeNull();
    }
  });

  it("are stored whole without chunking, and when they have an embedding", async () => {
    const store = createStore();
    const whole = openKnowledge(store, { chunking: false });
    await whole.add({ ...long("x"), metadata: { documentId: "x", start: 1, end: 2 } });
    await whole.addDocuments([long("x#1"), { ...short("y#1"), metadata: { documentId: "y", start: 0, end: 8 } }]);
    await whole.addDocuments([short("y")]);
    await whole.delete("y");

    expect(await whole.idsOf()).toEqual(["x", "x#1", "y#1"]);
    expect((await whole.get("y#1"))?.metadata).toEqual({ documentId: "y", start: 0, end: 8 });
    const knowledge = openKnowledge(createStore());
    await knowledge.add({ ...long("x"), embedding: await knowledge.embeddings.embed("page") });
    expect(await knowledge.idsOf()).toEqual(["x"]);
    expect((await knowledge.get("x"))?.embedding).toHaveLength(256);
  });

  it("are refused when their metadata or id leave no room for pieces, and nothing is embedded", async () => {
    const knowledge = openKnowledge(createStore());
    const refused = async (wrong: object, message: string) =>
      await expect(knowledge.addDocuments([short("a"), { ...long("x"), ...wrong }])).rejects.toMatchObject({
        code: "invalid_value",
        message: expect.stringContaining(message),
      });
    for (const name of ["start", "end"]) {
      await refused(
        { metadata: { [name]: 1 } },
        `documents[1] cannot be stored. metadata.${name} is reserved for the pieces`,
      );
    }
    await refused({ content: "short", metadata: { documentId: "x" } }, "metadata.documentId is reserved for pieces");
    await refused(
      { id: "x".repeat(1023) },
      "its pieces cannot be stored. The document id must have at most 1024 bytes",
    );
    await refused(
      { metadata: { large: "x".repeat(2 ** 18 - 20) } },
      "its pieces cannot be stored. metadata must have at most",
    );

    expect(knowledge.embeddings.calls).toEqual([]);
    await knowledge.add({ ...short("s"), metadata: { start: 1, end: 2 } });
    expect((await knowledge.get("s"))?.metadata).toEqual({ start: 1, end: 2 });
  });

  it("embed the pieces of many documents in full batches [knowledge.batches]", async () => {
    const knowledge = openKnowledge(createStore());
    const documents = Array.from({ length: documentCount }, (_, index) => long(`d${index}`, 35, `Book ${index}`));
    await knowledge.addDocuments(documents);
    const sizes = knowledge.embeddings.calls.map(({ texts }) => texts.length);

    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(leastPieces);
    expect(sizes.slice(0, -1).every((size) => size === 100)).toBe(true);
    expect(await knowledge.get("d99")).toEqual(documents[99]);
    expect(
      (await knowledge.search("Book 77 keeps page 3 in a drawer", { topK: 1 }))[0]?.document.metadata,
    ).toMatchObject({
      documentId: "d77",
    });
  });
});
