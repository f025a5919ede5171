/** The prefix of the name of the column with the words of a document. The languages of the words follow it. */
export const wordsPrefix = "words";

/** Matches characters of languages without spaces. In the column, each of them is a word. */
const unspaced = "[\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff]";

/** Characters of a content that are searched, because an index entry holds at most a megabyte of words. */
const longestContent = 100_000;

/** The text by which a document is found, as `searchedText` of core makes it: the headings above a piece, and the content. */
const searched = "coalesce(metadata->'documentPlace'->>'headings' || E'\\n\\n', '') || content";

/** Returns the name of the column that holds the words of documents in these languages. */
export function wordsColumn(languages: readonly string[]): string {
  return [wordsPrefix, ...languages].join("_");
}

/** Returns the definition of the column with the words of a document, which PostgreSQL itself keeps up to date. */
export function wordsDefinition(languages: readonly string[]): string {
  const text = `left(${searched}, ${Math.floor(longestContent / languages.length)})`;
  return `${wordsColumn(languages)} tsvector generated always as (${toVector(text, languages)}) stored`;
}

/** Returns the statements that add the column and its index to a table of an older version. */
export function addWords(table: string, languages: readonly string[]): string {
  const column = wordsColumn(languages);
  return `alter table ${table} add column ${wordsDefinition(languages)}; create index on ${table} using gin (${column})`;
}

/** Returns the SQL expression for the words of a text in the given languages. `text` is an SQL expression too. */
export function toVector(text: string, languages: readonly string[]): string {
  const spaced = `regexp_replace(${text}, '${unspaced}', ' \\& ', 'g')`;
  return languages.map((language) => `to_tsvector('${language}'::regconfig, ${spaced})`).join(" || ");
}
