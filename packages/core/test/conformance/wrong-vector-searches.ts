import type { vectorStoreCases } from "../../src/testing/conformance/vector-store-cases.ts";
import type { WrongSubjects } from "./check-wrong-subjects.ts";
import { filtering, finding, searching, storeBut } from "./wrong-vector-store.ts";
import type { WholeVectorStore } from "./wrong-vector-store.ts";
import { without } from "./altered.ts";

type Facts = Record<string, unknown>;

/** Stores with mistakes in searches. */
export const wrongVectorSearches = {
  "finds the nearest documents, best first, with their cosine similarity": () =>
    finding((found) => found.map(({ document, score }) => ({ document, score: (1 + score) / 2 }))),
  "returns documents without their embeddings": () =>
    finding((found) => found.map(({ document, score }) => ({ document: { ...document, embedding: [1, 0] }, score }))),
  "orders equal scores by the UTF-8 bytes of the id": () =>
    finding((found) =>
      found.toSorted((one, other) => other.score - one.score || (one.document.id < other.document.id ? -1 : 1)),
    ),
  "returns ten results by default": () => searching((options) => ({ topK: 100, ...options })),
  "leaves out results below minScore": () => searching((options) => without(options, "minScore")),
  "scores vectors of any length within -1 and 1": () =>
    finding((found) => found.map(({ document, score }) => ({ document, score: score * 1.001 }))),
  "finds nothing in an empty store": () =>
    finding((found) => (found.length > 0 ? found : [{ document: { id: "none", content: "" }, score: 0 }])),
  "refuses an invalid topK or minScore": () =>
    searching(({ topK = 10, ...rest }) => ({ ...rest, topK: topK >= 1 ? Math.min(Math.floor(topK), 10_000) : 10 })),
  "keeps documents that have each value of the filter": () => searching((options) => without(options, "filter")),
  "compares values of a filter as JSON, each as a whole": () =>
    filtering((metadata, filter) =>
      Object.entries(filter).every(([key, value]) => String((metadata as Facts)[key]) === String(value)),
    ),
  "filters before it applies topK": () =>
    storeBut((right) => ({
      search: async (embedding, { filter = {}, ...rest } = {}) =>
        (await right.search(embedding, rest)).filter(
          ({ document }) => document.metadata?.["tenant"] === filter["tenant"],
        ),
    })),
  "finds a field within objects by names joined by dots": () =>
    filtering((metadata, filter) => Object.entries(filter).every(([path, value]) => valueAt(metadata, path) === value)),
  "takes no name with a dot for a step of a path": () =>
    searching((options) => (options.filter?.["one.two.three"] === 1 ? without(options, "filter") : options)),
  "refuses operators in a filter": () =>
    searching(({ filter = {}, ...rest }) => ({
      ...rest,
      filter: Object.fromEntries(Object.entries(filter).filter(([name]) => !name.startsWith("$"))),
    })),
  "treats every name in a filter as data": () =>
    searching(({ filter = {}, ...rest }) => ({
      ...rest,
      filter: Object.fromEntries(Object.entries(filter).map(([name, value]) => [name.replace("\0", ""), value])),
    })),
  "treats every value in a filter as data": () =>
    filtering((metadata, filter) =>
      Object.entries(filter).every(([key, value]) => fitsPattern((metadata as Facts)[key], value)),
    ),
  "refuses a filter with values that are not JSON": () =>
    searching(({ filter = {}, ...rest }) => ({ ...rest, filter: JSON.parse(JSON.stringify(filter)) as Facts })),
} satisfies Partial<WrongSubjects<WholeVectorStore, typeof vectorStoreCases>>;

/** Treats the dots of a name as a path into the metadata. */
function valueAt(metadata: object, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => (value as Facts | undefined)?.[name], metadata);
}

/** Treats a percent sign as any text, as `like` does in SQL. */
function fitsPattern(held: unknown, value: unknown): boolean {
  return value === "%" ? typeof held === "string" : held === value;
}
