import { describe, expect, it } from "vitest";
import { readSynced } from "./synced-documents.ts";
import type { VectorStore } from "./vector/vector-store.ts";

/** A stored record of the document `d`: its number, the hash of its version, and the number of records of that version. */
type Stored = readonly [number: number, hash: string, records: number];

/** Reads what is stored of a document from a store that lists so many records at once. */
async function read(
  stored: readonly Stored[],
  pageSize: number,
  others: readonly object[] = [],
): Promise<string | undefined> {
  const own = stored.map(([number, hash, records]) => ({
    id: records === 1 ? "d" : `d#${number}`,
    metadata: { documentId: "d", documentSync: { prefix: "", hash, records } },
  }));
  const documents = own.flatMap((document) => [...others, document]);
  const list = async ({ after = "0" }: { after?: string | undefined }) => {
    const end = Number(after) + pageSize;
    const page = documents.slice(Number(after), end);
    return await Promise.resolve({ documents: page, ...(end < documents.length && { next: String(end) }) });
  };
  return (await readSynced({ list } as unknown as VectorStore, "")).get("d");
}

const cases: [title: string, stored: Stored[], hash: string][] = [
  ["its only record", [[1, "new", 1]], "new"],
  [
    "all of its records",
    [
      [1, "new", 2],
      [2, "new", 2],
    ],
    "new",
  ],
  [
    "all of its records in another order",
    [
      [3, "new", 3],
      [1, "new", 3],
      [2, "new", 3],
    ],
    "new",
  ],
  ["one record of two", [[1, "new", 2]], ""],
  [
    "two records of three",
    [
      [1, "new", 3],
      [3, "new", 3],
    ],
    "",
  ],
  [
    "one record of each of two versions",
    [
      [1, "new", 2],
      [2, "old", 2],
    ],
    "",
  ],
  [
    "one record of each of two versions, the old one first",
    [
      [1, "old", 2],
      [2, "new", 2],
    ],
    "",
  ],
  [
    "an old record between new ones",
    [
      [1, "new", 3],
      [2, "old", 3],
      [3, "new", 3],
    ],
    "",
  ],
  [
    "an old record behind new ones",
    [
      [1, "new", 3],
      [2, "new", 3],
      [3, "old", 3],
    ],
    "",
  ],
  [
    "an old record behind all new ones",
    [
      [1, "new", 2],
      [2, "new", 2],
      [3, "old", 3],
    ],
    "",
  ],
  [
    "records of three versions",
    [
      [1, "a", 3],
      [2, "b", 3],
      [3, "c", 3],
    ],
    "",
  ],
];

describe.each([1, 2, 10])("the hash of a document, in a store that lists %i records at once", (pageSize) => {
  it.each(cases)("is that of the version which is stored whole, or none: %s", async (_, stored, hash) => {
    expect(await read(stored, pageSize)).toBe(hash);
  });

  it.each(cases)("is the same between documents that are not of this synchronisation: %s", async (_, stored, hash) => {
    const foreign = { prefix: "a/", hash: "other", records: 1 };
    const others = [undefined, {}, { documentSync: "new" }, { documentId: "d", documentSync: foreign }].map(
      (metadata, index) => ({ id: `other${index}`, metadata }),
    );

    expect(await read(stored, pageSize, others)).toBe(hash);
  });
});
