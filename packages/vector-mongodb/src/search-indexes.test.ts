import { createLogger } from "@troupe/core";
import type { Document } from "mongodb";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { OpenVectors } from "./open-vectors.ts";
import { indexName, SearchIndexes } from "./search-indexes.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

const definition = {
  fields: [
    { type: "vector", path: "vector2", numDimensions: 2, similarity: "cosine" },
    { type: "filter", path: "scope" },
    { type: "filter", path: "terms" },
    { type: "filter", path: "lastOf" },
  ],
};
const ready = { name: "troupe_vector2", status: "READY", queryable: true, latestDefinition: definition };
const building = { ...ready, status: "BUILDING", queryable: false };

/** The server's states of an index, one for each look, and its answer to the creation. */
type Given = { looks?: (Document | undefined | Error)[]; refusal?: unknown; isRequired?: boolean };

/** The indexes of a scripted server, the requests that it received, and the warnings. */
function start({ looks: given = [], refusal, isRequired = false }: Given = {}) {
  const looks = [...given];
  const asked: unknown[] = [];
  const warn = vi.fn<(message: string) => void>();
  const documents = {
    createIndex: async (...index: unknown[]) => void asked.push(await Promise.resolve(index)),
    listSearchIndexes: (name: string) => ({
      toArray: async () => {
        asked.push(`look for ${name}`);
        const found = looks.shift();
        if (found instanceof Error) throw found;
        return await Promise.resolve(found === undefined ? [] : [found]);
      },
    }),
    createSearchIndex: async (index: unknown) => {
      asked.push(index);
      if (refusal !== undefined) throw refusal;
      await Promise.resolve();
    },
  };
  const vectors = { documents } as unknown as OpenVectors;
  const indexes = new SearchIndexes(vectors, { isRequired, logger: { ...createLogger(), warn } });
  return { indexes, asked, warn };
}

const look = "look for troupe_vector2";
const creation = { name: "troupe_vector2", type: "vectorSearch", definition };
const refused = Object.assign(new Error("no"), { name: "MongoServerError", code: 13 });

describe("SearchIndexes", () => {
  it("prepares the usual indexes, the second one of last documents alone", async () => {
    const { indexes, asked } = start();
    await indexes.prepareCollection();

    expect(asked).toEqual([
      [{ scope: 1, change: 1 }],
      [{ scope: 1, lastOf: 1 }, { partialFilterExpression: { lastOf: { $exists: true } } }],
    ]);
    // The order of its fields makes an index what it is.
    expect(JSON.stringify(asked)).toMatch(/^\[\[\{"scope":1,"change":1\}\],\[\{"scope":1,"lastOf":1\},/);
  });

  it("keeps that an index is ready, and looks again once that is doubted", async () => {
    const { indexes, asked } = start({ looks: [ready, building] });
    expect(await indexes.isReady(2)).toBe(true);
    vi.advanceTimersByTime(1e9);
    expect(await indexes.isReady(2)).toBe(true);
    expect(asked).toEqual([look]);
    indexes.doubt(2);

    expect(await indexes.isReady(2)).toBe(false);
    expect(asked).toEqual([look, look]);
  });

  it("looks again at an index that is not ready a second after the last look, and not before", async () => {
    const { indexes, asked } = start({ looks: [building, building, ready] });
    expect(await indexes.isReady(2)).toBe(false);
    vi.advanceTimersByTime(999);
    expect(await indexes.isReady(2)).toBe(false);
    expect(asked).toEqual([look]);
    vi.advanceTimersByTime(1);
    expect(await indexes.isReady(2)).toBe(false);
    vi.advanceTimersByTime(999);
    expect(await indexes.isReady(2)).toBe(false);
    vi.advanceTimersByTime(1);

    expect(await indexes.isReady(2)).toBe(true);
    expect(asked).toEqual([look, look, look]);
  });

  it("creates a missing index once for uses at once", async () => {
    const { indexes, asked } = start({ looks: [undefined, building] });

    expect(await Promise.all([indexes.isReady(2), indexes.isReady(2)])).toEqual([false, false]);
    expect(asked).toEqual([look, creation, look]);
  });

  it("looks once for uses at once of an index that was not ready a second ago", async () => {
    const { indexes, asked } = start({ looks: [building, building, ready] });
    await indexes.isReady(2);
    vi.advanceTimersByTime(1000);

    expect(await Promise.all([indexes.isReady(2), indexes.isReady(2)])).toEqual([false, false]);
    expect(asked).toEqual([look, look]);
  });

  it("says once of an index that is refused that it is, also to uses at once", async () => {
    const { indexes, asked, warn } = start({ refusal: refused });

    expect(await Promise.all([indexes.isReady(2), indexes.isReady(2)])).toEqual([false, false]);
    expect(asked).toEqual([look, creation, look]);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it("takes the index that another process has created meanwhile", async () => {
    const { indexes, asked, warn } = start({ looks: [undefined, ready], refusal: refused });

    expect(await indexes.isReady(2)).toBe(true);
    expect(asked).toEqual([look, creation, look]);
    expect(warn.mock.calls).toEqual([]);
  });

  it("forgets a failure, so that the next use looks again", async () => {
    const lost = new Error("lost");
    const { indexes, asked } = start({ looks: [lost, ready] });
    await expect(indexes.isReady(2)).rejects.toBe(lost);

    expect(await indexes.isReady(2)).toBe(true);
    expect(asked).toEqual([look, look]);
  });

  it("passes on a failure of the creation that is no refusal", async () => {
    const lost = Object.assign(new Error("lost"), { name: "MongoNetworkError" });

    await expect(start({ looks: [undefined, undefined], refusal: lost }).indexes.isReady(2)).rejects.toBe(lost);
  });

  const problems: [string, Given, string][] = [
    [
      "is refused",
      { looks: [undefined, undefined], refusal: refused },
      "MongoDB did not create the search index troupe_vector2. Grant the user the role readWrite, or drop other search indexes: small clusters allow few.",
    ],
    [
      "could not be built",
      { looks: [{ ...ready, status: "FAILED" }] },
      "MongoDB could not build the search index troupe_vector2. Drop it, and restart.",
    ],
    [
      "has another similarity",
      {
        looks: [
          {
            ...ready,
            latestDefinition: {
              fields: [{ ...definition.fields[0], similarity: "dotProduct" }, ...definition.fields.slice(1)],
            },
          },
        ],
      },
      "The search index troupe_vector2 has another definition than this store needs. Drop it, and restart.",
    ],
    [
      "lacks a filter",
      { looks: [{ ...ready, latestDefinition: { fields: definition.fields.slice(0, 3) } }] },
      "The search index troupe_vector2 has another definition than this store needs. Drop it, and restart.",
    ],
  ];

  it.each(problems)("warns once of an index that %s, and keeps comparing all", async (_what, given, problem) => {
    const { indexes, asked, warn } = start(given);
    expect(await indexes.isReady(2)).toBe(false);
    const before = asked.length;
    vi.advanceTimersByTime(1e9);

    expect(await indexes.isReady(2)).toBe(false);
    expect(asked).toHaveLength(before);
    expect(warn.mock.calls).toEqual([[`${problem} Until then each search compares all documents.`]]);
  });

  it.each(problems)("fails for a required index that %s", async (_what, given, message) => {
    const { indexes, warn } = start({ ...given, isRequired: true });

    await expect(indexes.isReady(2)).rejects.toMatchObject({ code: "invalid_config", message });
    expect(warn.mock.calls).toEqual([]);
  });

  it("takes an index with more fields, or whose definition the server does not tell", async () => {
    const more = { ...ready, latestDefinition: { fields: [{ type: "filter", path: "x" }, ...definition.fields] } };

    expect(await start({ looks: [more] }).indexes.isReady(2)).toBe(true);
    expect(await start({ looks: [{ queryable: true }] }).indexes.isReady(2)).toBe(true);
    expect(await start({ looks: [{ ...ready, queryable: 1 }] }).indexes.isReady(2)).toBe(false);
  });

  it("creates none for more than 8192 dimensions, which it says once", async () => {
    const { indexes, asked, warn } = start();
    expect([await indexes.isReady(8193), await indexes.isReady(8193)]).toEqual([false, false]);

    expect(asked).toEqual(["look for troupe_vector8193"]);
    expect(warn.mock.calls).toEqual([
      [
        "MongoDB indexes no vectors of 8193 dimensions. Use shorter ones. Until then each search compares all documents.",
      ],
    ]);
  });

  it("refuses documents of more than 8192 dimensions where an index is required alone", () => {
    const required = start({ isRequired: true }).indexes;

    expect(() => required.checkDimensions(8192)).not.toThrow();
    expect(() => start().indexes.checkDimensions(8193)).not.toThrow();
    expect(() => required.checkDimensions(8193)).toThrow(
      expect.objectContaining({
        code: "invalid_value",
        message: 'MongoDB indexes vectors of at most 8192 dimensions, got 8193. Use search: "auto".',
      }),
    );
    expect(indexName(7)).toBe("troupe_vector7");
  });
});
