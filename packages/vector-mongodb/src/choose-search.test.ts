import { createLogger } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { chooseSearch } from "./choose-search.ts";
import { ExactFinder } from "./exact-search.ts";
import { IndexedFinder } from "./indexed-search.ts";
import type { OpenVectors } from "./open-vectors.ts";

const serverError = (code: number, name = "MongoServerError") => Object.assign(new Error("no"), { name, code });

/** Chooses a search on a scripted server: errors for its search indexes and for the expression, or the cosine. */
async function choose(
  wanted: "auto" | "vector" | "exact",
  { indexes, cosine = 1 }: { indexes?: unknown; cosine?: unknown } = {},
) {
  const asked: unknown[] = [];
  const said: unknown[] = [];
  const documents = {
    listSearchIndexes: (...given: unknown[]) => ({
      toArray: async () => {
        asked.push(["indexes", ...given]);
        if (indexes !== undefined) throw indexes;
        return await Promise.resolve([]);
      },
    }),
    createIndex: async () => void asked.push(await Promise.resolve("createIndex")),
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
  const logger = { ...createLogger(), info: (message: string) => void said.push(message) };
  const vectors = { documents, db } as unknown as OpenVectors;
  const outcome = await chooseSearch(vectors, { wanted, logger }).catch((error: unknown) => error);
  return { outcome, asked, said };
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
});
