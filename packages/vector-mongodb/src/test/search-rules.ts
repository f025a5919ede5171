import { Binary } from "mongodb";
import type { Document } from "mongodb";

/** The refusal of a request that breaks a rule of MongoDB Vector Search. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The checked definition of a vector index. `checkDefinition` returns it. */
export type CheckedDefinition = { path: string; dimensions: number; filters: ReadonlySet<string> };

/** Checks the definition of a vector index by MongoDB's documentation. */
export function checkDefinition({ name, type, definition }: Document): CheckedDefinition {
  demand(
    typeof name === "string" && name !== "" && type === "vectorSearch",
    "an index of vectors has a name and a type",
  );
  const fields = (definition as Document)["fields"] as Document[];
  const vectors = fields.filter((field) => field["type"] === "vector");
  const filters = fields.filter((field) => field["type"] === "filter");
  demand(vectors.length === 1 && vectors.length + filters.length === fields.length, "fields are vectors and filters");
  const { path, numDimensions, similarity } = vectors[0] ?? {};
  demand(isInteger(numDimensions, 1, 8192), "numDimensions is an integer from 1 to 8192");
  demand(["cosine", "euclidean", "dotProduct"].includes(String(similarity)), "similarity is one of three");
  const paths = fields.map((field) => String(field["path"]));
  demand(new Set(paths).size === paths.length && !paths.includes("undefined"), "each field has a path of its own");
  return {
    path: String(path),
    dimensions: Number(numDimensions),
    filters: new Set(paths.filter((each) => each !== path)),
  };
}

const stageFields = new Set(["index", "path", "queryVector", "numCandidates", "limit", "filter", "exact"]);

/** Checks a stage against the index, and returns the vector to search for. */
export function checkStage(stage: Document, { path, dimensions, filters }: CheckedDefinition): Float32Array {
  for (const name of Object.keys(stage)) demand(stageFields.has(name), `$vectorSearch has no field ${name}`);
  const { queryVector, numCandidates, limit, filter, exact } = stage;
  demand(stage["path"] === path, "path is the indexed vector");
  demand(isInteger(limit, 1, 2 ** 31 - 1), "limit is a positive integer");
  if (exact === true) demand(numCandidates === undefined, "an exact search has no numCandidates");
  else demand(isInteger(numCandidates, Number(limit), 10_000), "numCandidates is from limit to 10000");
  const vector =
    queryVector instanceof Binary ? queryVector.toFloat32Array() : Float32Array.from(queryVector as number[]);
  demand(vector.length === dimensions, "queryVector has the dimensions of the index");
  demand(
    vector.some((number) => number !== 0),
    "a cosine needs a vector that is not zero",
  );
  if (filter !== undefined) checkFilter(filter as Document, filters);
  return vector;
}

const comparisons = new Set(["$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$exists"]);

function checkFilter(filter: Document, filters: ReadonlySet<string>): void {
  for (const [name, value] of Object.entries(filter)) {
    if (["$and", "$or", "$nor"].includes(name)) {
      demand(Array.isArray(value) && value.length > 0, `${name} takes filters`);
      for (const part of value as Document[]) checkFilter(part, filters);
      continue;
    }
    demand(filters.has(name), `the path ${name} needs to be indexed as a filter`);
    const isOperator = typeof value === "object" && value !== null;
    const operands: unknown[] = isOperator ? Object.values(value as object).flat() : [value];
    if (isOperator)
      for (const operator of Object.keys(value as object)) demand(comparisons.has(operator), `no operator ${operator}`);
    for (const operand of operands)
      demand(["string", "number", "boolean"].includes(typeof operand), "filters compare strings, numbers and booleans");
  }
}

/** Returns true if a document of the index matches a filter of equalities, the only filters of the double. */
export function matches(document: Document, filter: Document = {}): boolean {
  return Object.entries(filter).every(([name, value]) => {
    if (name === "$and") return (value as Document[]).every((part) => matches(document, part));
    const held: unknown = document[name];
    return Array.isArray(held) ? held.includes(value) : held === value;
  });
}

function isInteger(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}

function demand(isKept: boolean, rule: string): void {
  if (!isKept) throw new RefusedError(8, `the request breaks a rule: ${rule}`);
}
