import { createLogger } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { chooseSearch } from "./choose-search.ts";
import { ExactFinder } from "./exact-search.ts";
import { IndexedFinder } from "./indexed-search.ts";
import type { OpenVectors } from "./open-vectors.ts";

const serverError = (code: number, name = "MongoServerError") => Object.assign(new Error("no"), { name, code });

/** Chooses a search on a scripted server: errors for its search and usual indexes and for the expression, or the cosine. */
async function choose(
  wanted: "auto" | "vector" | "exact",
  { indexes, cosine = 1, usual }: { indexes?: unknown; cosine?: unknown; usual?: Error } = {},
) {
  const asked: unknown[] = [];
  const said: unknown[] = [];
  const warned: unknown[] = [];
  const documents = {
    listSearchIndexes: (...given: unknown[]) => ({
      toArray: async () => {
        asked.push(["indexes", ...given]);
        if (indexes !== undefined) throw indexes;
        return await Promise.resolve([]);
      },
    }),
    createIndex: async () => {
      asked.push("createIndex");
      await Promise.resolve();
      if (usual !== undefined) throw usual;
    },
  };
  const db = {
    aggregate: (...given: unknown[]) => ({
      next: async () => {
        asked.push(given);
        if (cosine instanceof Error) throw cosine;
        return await Promise.resolve({ cosine });
      },
    }),
  };
  const logger = {
    ...createLogger(),
    info: (message: string) => void said.push(message),
    warn: (message: string) => void warned.push(message),
  };
  const vectors = { documents, db } as unknown as OpenVectors;
  const outcome = await chooseSearch(vectors, { wanted, logger }).catch((error: unknown) => error);
  return { outcome, asked, said, warned, vectors };
}

const expression = [
  [{ $documents: [{}] }, { $project: { cosine: { $similarityCosine: [[1], [1]] } } }],
  { readConcern: { level: "local" } },
];
const inServer = "Each search compares all documents, by the server, with $similarityCosine.";
const inProcess = "Each search compares all documents, in this process.";

describe("chooseSearch", () => {
  it.each(["auto", "vector"] as const)("uses the index for %s where the deployment has it", async (wanted) => {
    const { outcome, asked, said } = await choose(wanted);

    expect(outcome).toBeInstanceOf(IndexedFinder);
    expect(asked).toEqual([["indexes"], expression, "createIndex", "createIndex"]);
    expect(said).toEqual(["Searches use the index of MongoDB Vector Search."]);
  });

  it("does not ask for indexes when exact is wanted", async () => {
    const { outcome, asked, said } = await choose("exact");

    expect(outcome).toBeInstanceOf(ExactFinder);
    expect(asked).toEqual([expression]);
    expect(said).toEqual([inServer]);
  });

  it.each([13, 59, 115, 8000, 31_082, 40_324])(
    "compares all after the refusal %i, or fails for vector",
    async (code) => {
      expect(await choose("auto", { indexes: serverError(code) })).toMatchObject({ said: [inServer] });
      const { outcome, said } = await choose("vector", { indexes: serverError(code) });

      expect(outcome).toMatchObject({
        code: "invalid_config",
        message:
          'search: "vector" needs MongoDB Vector Search: Atlas, or a server with mongot, and a user who may list and create search indexes. With search: "auto" all documents are compared where it is missing.',
      });
      expect(said).toEqual([]);
    },
  );

  it.each([serverError(168), serverError(11_600), serverError(13, "MongoNetworkError"), new Error("lost")])(
    "passes on %o of the search indexes, which is no refusal",
    async (error) => {
      expect(await choose("auto", { indexes: error })).toMatchObject({ outcome: error, said: [] });
    },
  );

  it.each([serverError(168), serverError(31_325), serverError(40_323), serverError(13), undefined, 0.5])(
    "compares in this process where the server answers the expression with %o",
    async (cosine) => {
      expect((await choose("exact", { cosine: cosine ?? null })).said).toEqual([inProcess]);
    },
  );

  it("passes on a failure of the expression that is no refusal", async () => {
    const error = serverError(11_600);

    expect((await choose("auto", { cosine: error })).outcome).toBe(error);
  });

  it.each([
    ["by the server", 1, ["aggregate"]],
    ["in this process", serverError(40_323), ["find"]],
  ])("makes a finder that compares %s, as it says", async (place, cosine, used) => {
    const asked: string[] = [];
    const none = (name: string) => () => {
      asked.push(name);
      return Object.assign([].values(), { toArray: async () => await Promise.resolve([]) });
    };
    const { outcome, said, vectors } = await choose("exact", { cosine });
    Object.assign(vectors, {
      isStandalone: true,
      timeoutMs: 50,
      startSession: () => ({ endSession: async () => await Promise.resolve() }),
      toBinary: (vector: Float32Array) => vector,
      catalog: { findOne: async () => await Promise.resolve({ scope: "s", dimensions: 1 }) },
    });
    Object.assign(vectors.documents, { aggregate: none("aggregate"), find: none("find") });
    const search = { vector: Float32Array.of(1), length: 1, topK: 1, minScore: -1, filter: {} };

    expect(await (outcome as ExactFinder).find("p", search)).toEqual([]);
    expect(asked).toEqual(used);
    expect(said).toEqual([expect.stringContaining(place)]);
  });

  it.each([
    ["vector", ["refused"], []],
    ["auto", [], [expect.stringMatching(/^MongoDB indexes no vectors of 8193 dimensions/)]],
  ] as const)("makes a finder for %s that takes too many dimensions for an index as it is wanted", async (...row) => {
    const [wanted, refusals, warnings] = row;
    const { outcome, warned } = await choose(wanted);
    const finder = outcome as IndexedFinder;
    const refused: string[] = [];
    try {
      finder.checkDimensions(8193);
    } catch {
      refused.push("refused");
    }
    await finder.prepare(8193);

    expect([refused, warned]).toEqual([refusals, warnings]);
  });

  it("fails where the usual indexes cannot be made", async () => {
    const lost = new Error("lost");

    expect((await choose("auto", { usual: lost })).outcome).toBe(lost);
  });
});
