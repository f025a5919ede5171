/** SQL statements on the tables of a vector store, made for its table names. */
export type VectorTables = ReturnType<typeof vectorTables>;

const keysEach = 2 ** 32;

/** The possible keys of the documents of one collection: the keys after `after`, up to `last`. */
export type KeyRange = { readonly after: number; readonly last: number };

/**
 * Returns the range of keys of a collection. The keys are consecutive, so that a search reads one region of the file
 * and cannot meet another collection.
 */
export function keysOf(collection: number): KeyRange {
  return { after: collection * keysEach - 1, last: (collection + 1) * keysEach - 1 };
}

/**
 * Returns the statements for the table `name` and its companions. Vectors are stored apart from contents, so that a
 * search reads no contents. A term is the hash of one of `metadataTerms`.
 */
export function vectorTables(name: string) {
  const [vectors, collections, documents, terms] = namesOf(name, "", "_collections", "_documents", "_terms");
  const found = `select v.id, v.vector, d.content, d.metadata, d.original
    from ${vectors} v join ${documents} d on d.key = v.key`;
  const inRange = "key > ? and key <= ?";
  const withTerms = `where t.term = ? and t.key > ? and t.key <= ? and not exists (
    select 1 from json_each(?) j where not exists (select 1 from ${terms} o where o.term = j.value and o.key = t.key))`;
  return {
    ...textTable(name),
    create: [
      `create table if not exists ${collections}
        (number integer primary key, path text not null unique, dimensions integer, model text) strict`,
      `create table if not exists ${vectors}
        (key integer primary key, collection integer not null, id text not null, vector blob not null,
        unique (collection, id)) strict`,
      `create table if not exists ${documents}
        (key integer primary key, content text not null, metadata text, original blob) strict`,
      `create table if not exists ${terms}
        (term text not null, key integer not null, primary key (term, key)) strict, without rowid`,
      `create index if not exists "${name}_terms_key" on ${terms} (key)`,
    ],
    collection: `select number, dimensions, model from ${collections} where path = ?`,
    addCollection: `insert into ${collections} (path) values (?) returning number`,
    setDimensions: `update ${collections} set dimensions = ? where number = ?`,
    setModel: `update ${collections} set model = ? where number = ?`,
    removeCollection: `delete from ${collections} where number = ?`,
    firstKey: `select min(key) from ${vectors} where ${inRange}`,
    lastKey: `select max(key) from ${vectors} where ${inRange}`,
    key: `select key from ${vectors} where collection = ? and id = ?`,
    setVector: `insert or replace into ${vectors} (key, collection, id, vector) values (?, ?, ?, ?)`,
    setDocument: `insert or replace into ${documents} (key, content, metadata, original) values (?, ?, ?, ?)`,
    addTerm: `insert into ${terms} (term, key) values (?, ?)`,
    removeTerms: `delete from ${terms} where key = ?`,
    remove: [terms, documents, vectors].map((table) => `delete from ${table} where key = ?`),
    removeRange: [terms, documents, vectors].map((table) => `delete from ${table} where ${inRange}`),
    get: `${found} where v.collection = (select number from ${collections} where path = ?) and v.id = ?`,
    /**
     * Lists the documents of a collection by their ids, which are at least the first parameter, greater than the
     * second, and less than the third.
     */
    list: `select v.id, d.metadata from ${vectors} v join ${documents} d on d.key = v.key
      where v.collection = (select number from ${collections} where path = ?)
      and v.id >= ? and v.id > ? and v.id < ? order by v.id limit ?`,
    getByKey: `${found} where v.key = ?`,
    /** Counts the documents with a term, up to a limit. */
    count: `select count(*) from (select 1 from ${terms} where term = ? and ${inRange} limit ?)`,
    /**
     * Finds the end of a window: the key of the last of the next documents with a term, up to a limit, within a range
     * of keys.
     */
    endOf: `select max(key) from (select key from ${terms} where term = ? and ${inRange} order by key limit ?)`,
    /** Finds the keys of the documents that have a term and all terms of a JSON array. */
    keysWith: `select t.key from ${terms} t ${withTerms}`,
    /** Finds the nearest documents in a range with a distance function. */
    nearest: (distance: string) => `select key, id, ${distance}(vector, ?) as distance
      from ${vectors} where ${inRange} order by distance, id limit ?`,
    /** Finds the nearest documents in a range that have a term and all terms of a JSON array. */
    nearestWith: (distance: string) => `select v.key, v.id, ${distance}(v.vector, ?) as distance
      from ${terms} t cross join ${vectors} v on v.key = t.key ${withTerms} order by distance, v.id limit ?`,
  };
}

/** Returns the statements for the index of words beside the table `name`. */
function textTable(name: string) {
  // The index contains only words: the contents are in the table of documents.
  const [text, documents, terms] = namesOf(name, "_text", "_documents", "_terms");
  return {
    /**
     * Creates the index of words, which a file of an older version lacks. English words are found in other forms too.
     */
    createText: `create virtual table if not exists ${text} using fts5
      (words, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2')`,
    hasText: `select 1 from sqlite_master where name = '${name}_text'`,
    addText: `insert into ${text} (rowid, words) values (?, ?)`,
    removeText: `delete from ${text} where rowid = ?`,
    removeTextRange: `delete from ${text} where rowid > ? and rowid <= ?`,
    contents: `select key, content, metadata from ${documents} where key > ? order by key limit ?`,
    isEmpty: `select not exists (select 1 from ${documents})`,
    /** Finds the documents in a range of keys whose words match best. */
    matching: `select rowid, bm25(${text}) from ${text} where ${text} match ? and rowid > ? and rowid <= ?
      order by bm25(${text}), rowid limit ?`,
    /**
     * Finds the documents whose words match best. Searches only documents that contain a given term and all terms of a
     * JSON array.
     */
    matchingWith: `select f.rowid, bm25(${text}) from ${text} f
      where ${text} match ? and f.rowid > ? and f.rowid <= ?
      and exists (select 1 from ${terms} t where t.term = ? and t.key = f.rowid) and not exists (
        select 1 from json_each(?) j where not exists (select 1 from ${terms} o where o.term = j.value and o.key = f.rowid))
      order by bm25(${text}), f.rowid limit ?`,
  };
}

/** Returns the quoted names of tables that begin with a name. */
function namesOf(name: string, ...ends: readonly string[]): string[] {
  return ends.map((end) => `"${name}${end}"`);
}
