import { TroupeError } from "@troupe/core";
import type { VectorSearchResult } from "@troupe/core";
import type { TextSearchQuery } from "@troupe/core/vector";
import { inTransaction } from "@troupe-internal/postgres";
import type { Query, SqlStatement } from "@troupe-internal/postgres";
import { filterCondition } from "./filter-condition.ts";
import { toDocument } from "./stored-document.ts";
import type { DocumentRow } from "./stored-document.ts";
import { toVector, wordsColumn, wordsPrefix } from "./words-column.ts";

/** Number of documents in a table below which a search omits no word as too common. */
const fewDocuments = 1000;

/** Largest number of documents with a word that are counted, which is enough to tell a rare word from a common word. */
const mostCounted = 20_000;

/** Returns the languages of a table's column of words; undefined if it has none. */
export async function readLanguages(query: Query, table: string): Promise<string[] | undefined> {
  const sql = `select attname::text as name from pg_attribute
    where attrelid = to_regclass($1) and attname like '${wordsPrefix}\\_%' and not attisdropped limit 1`;
  const [row] = await query<{ name: string }>({ sql, parameters: [table] });
  return row?.name.split("_").slice(1);
}

/** Searches the table of a collection by words. Throws `invalid_config` if it has no column of words. */
export async function searchWords(query: Query, table: string, search: TextSearchQuery): Promise<VectorSearchResult[]> {
  // New tables have no statistics for planning: without a sequential scan, the words and filters use their indexes.
  const begin = "begin read only; set local enable_seqscan = off; set local jit = off";
  const rows = await inTransaction(query, begin, async () => {
    const languages = await readLanguages(query, table);
    if (languages === undefined) {
      const message = "The table of the collection has no text index. Create it once with createTextIndex().";
      throw new TroupeError("invalid_config", message);
    }
    return await query<DocumentRow & { score: number | string }>(wordsStatement(table, languages, search));
  });
  return rows.map(({ score, ...row }) => ({ document: toDocument(row), score: Number(score) }));
}

/**
 * Returns the statement of a search by words. PostgreSQL's own measure ignores how rare a word is, so the measure of
 * each word is weighted by its rarity, as BM25 does. In a large table, words that most documents have are omitted,
 * unless there are no others.
 */
function wordsStatement(table: string, languages: readonly string[], search: TextSearchQuery): SqlStatement {
  const column = wordsColumn(languages);
  const parameters: unknown[] = [search.query, search.topK];
  const condition = filterCondition(search.filter, parameters);
  const sql = `
    with words as materialized (
      select ('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''')::tsquery as word
      from (select distinct lexeme from unnest(${toVector("$1", languages)}) limit 64) as lexemes
    ),
    total as materialized (select count(*)::float8 as n from (select 1 from ${table} limit ${mostCounted}) as counted),
    counted as materialized (
      select word, (
        select count(*)::float8 from (select 1 from ${table} where ${column} @@ word limit ${mostCounted}) as holders
      ) as df from words
    ),
    weighted as materialized (
      select word, ln(1 + (n - df + 0.5) / (df + 0.5)) as weight from counted, total
      where df > 0 and (
        n < ${fewDocuments} or df <= 0.5 * n or not exists (select 1 from counted as other where df > 0 and df <= 0.5 * n)
      )
    ),
    ranked as (
      select id, (
        select sum(weight * ts_rank('{1,1,1,1}'::float4[], ${column}, word, 1)) from weighted
      ) as score from ${table}
      where ${column} @@ (select string_agg(word::text, ' | ')::tsquery from weighted) and ${condition}
      order by score desc, id limit $2::integer
    )
    select found.id, found.content, found.metadata::text as metadata, ranked.score
    from ranked join ${table} as found on found.id = ranked.id`;
  return { sql, parameters };
}
