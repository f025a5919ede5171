import assert from "node:assert/strict";
import type { VectorStore } from "@troupe/core";
import { hostileStrings } from "./hostile-strings.ts";

/** The number and seed of the strings of `checkHostileStrings`, and the number of concurrent calls. */
export type HostileStringsOptions = {
  /** Number of strings. @default 5000 */
  count?: number;
  /** Seed of the strings. @default 1 */
  seed?: number;
  /** Number of concurrent calls. @default 20 */
  concurrency?: number;
};

type Writable = VectorStore & Required<Pick<VectorStore, "write">>;
type Each = (text: string, index: number) => Promise<void>;

/**
 * Stores one document for each of many hostile strings, which is its id, its content, and a value and a name in its
 * metadata. Asserts that reading, filtering and deleting by a string affects exactly its document. The store must be
 * empty, for vectors with two numbers; afterwards it contains half of the documents.
 */
export async function checkHostileStrings(
  store: Writable,
  { count = 5000, seed = 1, concurrency = 20 }: HostileStringsOptions = {},
): Promise<void> {
  const strings = hostileStrings(count, seed);
  const [east, metadataOf] = [
    [1, 0],
    (text: string) => ({ value: text, deep: { value: [text] }, [text]: text.length }),
  ];
  const upsert = strings.map((text, index) => {
    const angle = (Math.PI * index) / count;
    return { id: text, content: text, embedding: [Math.cos(angle), Math.sin(angle)], metadata: metadataOf(text) };
  });
  await store.write({ upsert });
  const each = async (check: Each) => await inTurns(strings, concurrency, check);
  const idsBy = async (filter: Record<string, unknown>) =>
    (await store.search(east, { filter, topK: 100 })).map(({ document }) => document.id);

  await each(async (text) => {
    const found = await store.get(text);
    assert.deepEqual([found?.id, found?.content, found?.metadata], [text, text, metadataOf(text)], show(text));
  });
  await each(async (text) => assert.deepEqual(await idsBy({ value: text }), [text], show(text)));
  await each(async (text) => assert.deepEqual(await idsBy({ "deep.value": [text] }), [text], show(text)));
  await each(async (text) => {
    if (text.startsWith("$")) return await assert.rejects(idsBy({ [text]: 1 }), { code: "invalid_value" }, show(text));
    // "value" and "deep" are metadata names of every document.
    if (text !== "value" && text !== "deep") assert.deepEqual(await idsBy({ [text]: text.length }), [text], show(text));
  });
  await each(async (text, index) => {
    if (index % 4 === 0) await store.delete(text);
    if (index % 4 === 1) await store.write({ deleteWhere: { value: text } });
  });
  const left = strings.filter((_, index) => index % 4 > 1);
  const found = await store.search(east, { topK: 10_000 });
  assert.deepEqual(found.map(({ document }) => document.id).toSorted(), left.slice(0, 10_000).toSorted());
}

function show(text: string): string {
  return `for the string ${JSON.stringify(text)}`;
}

async function inTurns(texts: readonly string[], concurrency: number, check: Each): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < texts.length; index = next++) await check(texts[index] ?? "", index);
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}
