import { checkDimensions } from "@troupe/core/vector";
import type { MetadataFilter, VectorSearchQuery } from "@troupe/core/vector";
import type { VectorSearchResult } from "@troupe/core";
import { inTransaction } from "@troupe-internal/postgres";
import type { Query, SqlStatement } from "@troupe-internal/postgres";
import { catalogName, indexedType, searchedExpression, tableName, unitVector } from "./collection-table.ts";
import type { Names } from "./collection-table.ts";
import { filterCondition } from "./filter-condition.ts";
import type { VectorSettings } from "./pg-vector-options.ts";
import { toDocument } from "./stored-document.ts";
import type { DocumentRow, VectorFormat } from "./stored-document.ts";

/** The table to search: its key in the catalog, the search settings, and a callback for the length of its vectors. */
export type SearchedTable = {
  readonly names: Names;
  readonly key: string;
  readonly format: VectorFormat;
  readonly settings: Pick<VectorSettings, "efSearch" | "exact">;
  readonly warn: (dimensions: number) => void;
};

/** A row with its score. The score may be a string, because a given pool may parse numbers differently. */
type Result = DocumentRow & { readonly score: number | string };
type Candidate = Result & { readonly candidates: string };

/**
 * Numbers of documents up to which comparing all of them is about as fast as the index, and exact. The limit for
 * filtered searches is higher: the index must visit many documents that do not match, and misses more results the
 * farther they are from the search vector.
 */
const [fewDocuments, fewMatching] = [1000, 5000];

/** With a filter, an index search keeps `efSearch` times this many candidates, because only some of them match. */
const filteredSight = 10;

/** Documents that an index search visits at most before the exact search is used. */
const mostVisited = 20_000;

/**
 * Searches the table of a collection in one transaction. Compares all matching documents if they are few. Otherwise
 * uses the index, and falls back to an exact search if the index finds too few. The settings of the planner apply only
 * to the transaction, because a pooler such as PgBouncer gives the next transaction another connection.
 */
export async function searchTable(
  query: Query,
  table: SearchedTable,
  search: VectorSearchQuery,
): Promise<VectorSearchResult[]> {
  const rows = await inTransaction(query, beginning(table, search), async ([found]) => {
    return found === undefined ? [] : await findRows(query, { table, search, dimensions: Number(found["dimensions"]) });
  });
  return rows.map(({ score, ...row }) => ({ document: toDocument(row), score: Number(score) }));
}

/**
 * Returns the statements that begin a search's transaction and read the collection's vector length, in one round trip.
 */
function beginning({ names, key, settings }: SearchedTable, search: VectorSearchQuery): string {
  const sight = settings.efSearch * (isEmpty(search.filter) ? 1 : filteredSight);
  const planner = {
    "hnsw.ef_search": Math.min(1000, Math.max(sight, 2 * candidatesFor(search))),
    // The index search continues until enough documents match the filter.
    "hnsw.iterative_scan": "relaxed_order",
    "hnsw.max_scan_tuples": mostVisited,
    "hnsw.scan_mem_multiplier": 4,
    // New tables have no statistics for planning: without a sequential scan, filters use their index, and a search
    // among many documents uses HNSW.
    enable_seqscan: "off",
    enable_sort: "off",
    jit: "off",
  };
  const settingsSql = Object.entries(planner).map(([name, value]) => `set local ${name} = ${value}`);
  const lengthSql = `select dimensions from ${catalogName(names)} where id = '${key}' and dimensions is not null`;
  return ["begin read only", ...settingsSql, lengthSql].join("; ");
}

type PlannedSearch = { table: SearchedTable; search: VectorSearchQuery; dimensions: number };

/**
 * Returns the rows of the documents nearest to the search vector. Throws `invalid_value` if the vector's length differs
 * from the length of the table's vectors.
 */
async function findRows(query: Query, planned: PlannedSearch): Promise<readonly Result[]> {
  const { table, search, dimensions } = planned;
  checkDimensions(search.vector.length, dimensions);
  table.warn(dimensions);
  const type = table.settings.exact ? undefined : indexedType(dimensions);
  if (type === undefined) return await query<Result>(exactStatement(planned));
  const most = Math.max(isEmpty(search.filter) ? fewDocuments : fewMatching, search.topK);
  const few = await query<Result & { matching: string }>(fewStatement(planned, most));
  if (Number(few[0]?.matching) <= most) return few.filter(({ id }) => id !== null);
  const indexed = await query<Candidate>(indexedStatement(planned, type));
  // With fewer candidates than requested, the index search stopped before it had visited enough documents.
  const isWhole = Number(indexed[0]?.candidates) >= candidatesFor(search);
  return isWhole ? indexed : await query<Result>(exactStatement(planned));
}

/**
 * Returns the number of candidates to request from the index, more than the wanted results, because their order is
 * approximate.
 */
function candidatesFor({ topK }: VectorSearchQuery): number {
  return topK + Math.min(topK + 20, 1000);
}

function isEmpty(filter: MetadataFilter): boolean {
  return Object.keys(filter).length === 0;
}

/**
 * Returns the statement that compares all matching documents if there are at most `most`. If there are more, the
 * statement selects one row whose `matching` is greater than `most`.
 */
function fewStatement(planned: PlannedSearch, most: number): SqlStatement {
  const { name, operator, vector, condition, parameters } = begin(planned);
  const parameter = (value: number): string => `$${parameters.push(value)}::integer`;
  const [limit, atMost] = [parameter(most + 1), parameter(most)];
  const sql = `
    with matching as materialized (select id, embedding from ${name} where ${condition} limit ${limit}),
    counted as (select count(*) as matching from matching),
    nearest as (
      select id, 1 - (embedding ${operator} ${vector}) as score from matching
      where (select matching from counted) <= ${atMost}
      order by score desc, id limit ${parameter(planned.search.topK)}
    )
    select counted.matching, nearest.score, found.id, found.content, found.metadata::text as metadata
    from counted left join nearest on true left join ${name} as found on found.id = nearest.id`;
  return { sql, parameters };
}

/**
 * Returns the statement that searches with the index. A 16-bit index only selects candidates, which are then compared
 * by the full vector.
 */
function indexedStatement(planned: PlannedSearch, type: "vector" | "halfvec"): SqlStatement {
  const { table, search, dimensions } = planned;
  const { name, operator, vector, condition, parameters } = begin(planned);
  const limit = (count: number): string => `limit $${parameters.push(count)}::integer`;
  const searched = searchedExpression(table.names, type, dimensions);
  const wanted = type === "vector" ? vector : `${vector}::${table.names.extensionSchema}.halfvec(${dimensions})`;
  const sql = `
    select id, content, metadata::text as metadata, 1 - distance as score, count(*) over () as candidates from (
      select id, content, metadata, embedding ${operator} ${vector} as distance from ${name}
      where ${condition} order by ${searched} ${operator} ${wanted} ${limit(candidatesFor(search))}
    ) as candidates order by distance ${limit(search.topK)}`;
  return { sql, parameters };
}

/**
 * Returns the statement that compares every matching document. It orders by an expression that has no index, because
 * otherwise HNSW would be used.
 */
function exactStatement(planned: PlannedSearch): SqlStatement {
  const { name, operator, vector, condition, parameters } = begin(planned);
  const sql = `
    select found.id, found.content, found.metadata::text as metadata, nearest.score from (
      select id, 1 - (embedding ${operator} ${vector}) as score from ${name}
      where ${condition} order by score desc, id limit $${parameters.push(planned.search.topK)}::integer
    ) as nearest join ${name} as found on found.id = nearest.id`;
  return { sql, parameters };
}

/** Returns the common parts of a search's statements. Parameter 1 is the direction of the search vector. */
function begin({ table, search, dimensions }: PlannedSearch) {
  const { names, key, format } = table;
  const parameters: unknown[] = [format.write(unitVector(search))];
  return {
    name: tableName(names, key),
    operator: `operator(${names.extensionSchema}.<=>)`,
    vector: `$1::${names.extensionSchema}.vector(${dimensions})`,
    condition: filterCondition(search.filter, parameters),
    parameters,
  };
}
